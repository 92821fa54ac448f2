/// Adds up what the terms of a beginning say of each row, and writes it as entries of a segment.
///
/// Not `Sendable`: one thread at a time. Memory: 16 bytes a posting of a beginning that few terms have, or of one
/// in rows that lie far apart; for others 8 bytes for each row of the segment.
struct BeginningWriter: ~Copyable {
    /// The length of a row's text, and 2^32 times how often terms stand there: never 0.
    private typealias Counted = (row: UInt32, number: UInt64)

    /// Of so many postings at most a list is kept, which is sorted in the end.
    private static let listLimit = 4096
    /// Among so many numbers of rows at most each has its place: 8 MiB.
    private static let placesLimit = 1 << 20

    let form: TextBeginnings
    private let segment: UInt32
    /// The rows that are expected; `nil` if they are not known, or lie too far apart.
    private let rows: ClosedRange<UInt32>?
    private let packer = PostingsPacker(hasLengths: true, hasPositions: false)
    private var beginning = PlainList<UInt8>()
    private var list = PlainList<Counted>()
    /// Of each expected row its number; 0 for none.
    private var places = PlainList<UInt64>()
    /// Whether postings of the beginning go to ``places``.
    private var hasPlaces = false
    private var key = PlainList<UInt8>()

    /// - Parameter rows: the rows that postings may have, if they are known.
    init(_ segment: UInt32, _ form: TextBeginnings, rows: ClosedRange<UInt32>?) {
        (self.segment, self.form) = (segment, form)
        self.rows = rows.flatMap { $0.count <= Self.placesLimit ? $0 : nil }
    }

    deinit {
        beginning.deallocate()
        list.deallocate()
        places.deallocate()
        key.deallocate()
    }

    /// Begins a term, which comes after all terms before it.
    mutating func begin(_ term: UnsafeRawBufferPointer, _ put: SegmentWriter.Put) throws {
        let length = form.length(in: term)
        let own = UnsafeRawBufferPointer(rebasing: term[..<length])
        guard !own.elementsEqual(beginning.bytes) else { return }
        try end(put)
        beginning.append(own)
    }

    /// Adds a posting of the term.
    @inline(__always)
    mutating func add(_ row: UInt32, length: UInt32, frequency: UInt32) {
        guard beginning.count > 0 else { return }
        add(row, UInt64(length) | UInt64(frequency) << 32)
    }

    @inline(__always)
    private mutating func add(_ row: UInt32, _ number: UInt64) {
        if hasPlaces, let rows {
            // A row before the first one wraps around.
            let place = Int(row &- rows.lowerBound)
            if place < places.count {
                places[place] = Self.sum(places[place], number)
                return
            }
        }
        list.append((row, number))
        if list.count == Self.listLimit, !hasPlaces, rows != nil { makePlaces() }
    }

    /// Adds up how often two terms stand in a text.
    @inline(__always)
    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        (one | other & 0xFFFF_FFFF) &+ (other >> 32) << 32
    }

    /// Moves the postings of the list to their places.
    @inline(never)
    private mutating func makePlaces() {
        if places.count == 0 { places.append(zeros: rows?.count ?? 0) }
        hasPlaces = true
        var others = PlainList<Counted>()
        swap(&others, &list)
        for index in 0..<others.count { add(others[index].row, others[index].number) }
        others.deallocate()
    }

    /// Writes what is left of the last beginning. Other beginnings may follow.
    mutating func end(_ put: SegmentWriter.Put) throws {
        guard beginning.count > 0 else { return }
        key.removeAll()
        key.append(TextKeys.Kind.beginnings.rawValue)
        key.append(escaped: beginning.bytes)
        if list.count > 0 {
            try writeList(put)
        } else {
            try writePlaces(put)
        }
        if packer.count > 0 { try putBlock(put) }
        beginning.removeAll()
        list.removeAll()
        hasPlaces = false
    }

    private mutating func writePlaces(_ put: SegmentWriter.Put) throws {
        guard let first = rows?.lowerBound else { return }
        for place in 0..<places.count where places[place] != 0 {
            try write(first &+ UInt32(truncatingIfNeeded: place), places[place], put)
            places[place] = 0
        }
    }

    private mutating func writeList(_ put: SegmentWriter.Put) throws {
        if hasPlaces, let first = rows?.lowerBound {
            // Some rows were not expected.
            for place in 0..<places.count where places[place] != 0 {
                list.append((first &+ UInt32(truncatingIfNeeded: place), places[place]))
                places[place] = 0
            }
        }
        var all = UnsafeMutableBufferPointer(start: list.base, count: list.count)
        all.sort { $0.row < $1.row }
        var index = 0
        while index < list.count {
            var (row, number) = list[index]
            index += 1
            while index < list.count, list[index].row == row {
                number = Self.sum(number, list[index].number)
                index += 1
            }
            try write(row, number, put)
        }
    }

    private mutating func write(_ row: UInt32, _ number: UInt64, _ put: SegmentWriter.Put) throws {
        if packer.isFull { try putBlock(put) }
        packer.begin(
            row, length: UInt32(truncatingIfNeeded: number),
            frequency: UInt32(truncatingIfNeeded: number >> 32))
    }

    private mutating func putBlock(_ put: SegmentWriter.Put) throws {
        let stem = key.count
        key.append(bigEndian: segment)
        key.append(bigEndian: packer.first)
        try put(key.bytes, packer.finish())
        key.removeLast(key.count - stem)
    }
}
