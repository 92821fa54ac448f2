import CabinetBackend

/// Rows in ascending order, and of each how often some terms stand in its text, how long that is, and how
/// many typos the terms have at least.
///
/// Most texts agree in these with many others: what they agree in is a kind, and a row has the number of
/// its kind. Scores are made for each kind, not for each row.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class CountedRows {
    /// What rows agree in.
    struct Kind: Hashable {
        let frequency: UInt32
        let length: UInt32
        let typos: UInt8
    }

    /// Of each kind, so many rows are known at once.
    static let firstRows = 64
    /// Of so many kinds.
    private static let fewKinds = 2048

    let index: RowIndex
    let kinds: [Kind]
    /// The number of each row's kind.
    let kindOfRow: [UInt16]
    /// Of each kind its first rows, and whether these are all; empty if there are too many kinds.
    private(set) var first: [(rows: [UInt32], areAll: Bool)] = []

    var rows: [UInt32] { index.rows }
    var count: Int { kindOfRow.count }
    /// About how many bytes of memory it takes.
    var size: Int {
        index.size + kindOfRow.count * 2 + kinds.count * 16
            + first.reduce(256) { $0 + $1.rows.count * 4 + 48 }
    }

    /// `nil` if there are more kinds than numbers for them.
    /// - Parameter counts: of each row.
    convenience init?(_ index: RowIndex, _ counts: LeafCounts) {
        var numbers = KindNumbers()
        var kindOfRow: [UInt16] = []
        kindOfRow.reserveCapacity(index.count)
        for place in index.rows.indices {
            let kind = Kind(
                frequency: counts.frequencies[place], length: counts.lengths[place],
                typos: counts.typos.isEmpty ? 0 : counts.typos[place])
            guard let number = numbers.number(of: kind) else { return nil }
            kindOfRow.append(number)
        }
        self.init(index, numbers.kinds, kindOfRow)
    }

    /// The rows of postings that come in ascending order, with lengths; `nil` for others, and if there are more
    /// kinds than numbers for them.
    /// - Throws: `DataBufferError` for bytes that are no postings.
    convenience init?(inOrder postings: TermPostings) throws(DataBufferError) {
        guard postings.hasLengths, postings.isInOrder, !postings.hasTypos else { return nil }
        let index = RowIndex(postings.rows)
        var numbers = KindNumbers()
        var kindOfRow: [UInt16] = []
        kindOfRow.reserveCapacity(index.count)
        var isCountable = true
        try postings.forEachCount { frequency, length in
            let kind = Kind(
                frequency: UInt32(clamping: frequency), length: length, typos: 0)
            guard let number = numbers.number(of: kind) else {
                isCountable = false
                return
            }
            kindOfRow.append(number)
        }
        guard isCountable, kindOfRow.count == index.count else { return nil }
        self.init(index, numbers.kinds, kindOfRow)
    }

    /// - Parameters:
    ///   - kinds: all kinds that rows are of.
    ///   - kindOfRow: of each row the place of its kind among these.
    init(_ index: RowIndex, _ kinds: [Kind], _ kindOfRow: [UInt16]) {
        self.index = index
        self.kindOfRow = kindOfRow
        self.kinds = kinds
        guard kinds.count <= Self.fewKinds else { return }
        first = Array(repeating: ([], true), count: kinds.count)
        // Of each kind, how many of its first rows are not known yet; -1 behind the one that shows that these
        // are not all.
        var room = Array(repeating: Self.firstRows, count: kinds.count)
        room.withUnsafeMutableBufferPointer { room in
            kindOfRow.withUnsafeBufferPointer { kindOfRow in
                for place in 0..<kindOfRow.count {
                    let kind = Int(kindOfRow[place])
                    guard room[kind] >= 0 else { continue }
                    room[kind] -= 1
                    if room[kind] < 0 {
                        first[kind].areAll = false
                    } else {
                        first[kind].rows.append(index.rows[place])
                    }
                }
            }
        }
    }

    /// The kind of a row; `nil` if it is not among these.
    @inline(__always)
    func kind(of row: UInt32) -> Int? { index.place(of: row).map { Int(kindOfRow[$0]) } }

    /// The kind of each of some rows; -1 for one that is not among these.
    func kinds(of rows: [UInt32]) -> [Int32] {
        [Int32](unsafeUninitializedCapacity: rows.count) { target, filled in
            target.initialize(repeating: -1)
            filled = rows.count
            rows.withUnsafeBufferPointer { rows in
                kindOfRow.withUnsafeBufferPointer { kinds in
                    index.forEachPlace(of: rows) { number, place in
                        target[number] = Int32(kinds[place])
                    }
                }
            }
        }
    }
}
