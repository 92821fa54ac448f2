import CabinetBackend

/// What stood, as of one commit, in the places of a table that later commits have changed: of each the value
/// that the first of these has replaced.
///
/// A place that a commit changes without saying what stood there is not known. `Sendable`: a value.
struct FormerContents<Place: FormerPlace>: Sendable {
    private struct Entry: Sendable {
        let place: Place
        let commit: CommitNumber
        var what = What.unknown
        /// Whether something stands there as of the end of the look; `nil`: that was not said.
        var isThereNow: Bool?
    }

    private enum What: Sendable {
        case unknown
        case absent
        case value(start: Int, count: Int)
    }

    /// What stood in a place.
    enum Content {
        /// No later commit has changed it.
        case same
        case absent
        /// The bytes live as long as the contents.
        case value(UnsafeRawBufferPointer)
        /// That commit does not say what it has replaced.
        case unknown(CommitNumber)
    }

    private var entries: [Entry] = []
    /// The entries by place, a hash table of which half is free at least: spread and index, 1 more; 0: free.
    private var slots: [UInt64] = []
    /// The entry that was noted last: a commit says of one place twice in a row what it does there.
    private var latest = 0
    private var bytes: [UInt8] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    /// The places, in the order in which they were changed first.
    var all: some Sequence<Place> { entries.lazy.map(\.place) }

    /// A commit has put or deleted something there.
    mutating func noteChange(of place: Place, in commit: CommitNumber, isThere: Bool) {
        entries[index(of: place, commit)].isThereNow = isThere
    }

    /// A commit has changed something there, and says no more.
    mutating func noteChange(of place: Place, in commit: CommitNumber) {
        _ = index(of: place, commit)
    }

    /// A commit says what it has replaced there, before or behind the change itself.
    mutating func note(_ value: UnsafeRawBufferPointer?, of place: Place, in commit: CommitNumber) {
        let index = index(of: place, commit)
        // What later commits have replaced is of no interest.
        guard entries[index].commit == commit, case .unknown = entries[index].what else { return }
        guard let value else {
            entries[index].what = .absent
            return
        }
        entries[index].what = .value(start: bytes.count, count: value.count)
        bytes.append(contentsOf: value)
    }

    /// The commit, the last one so far, has left something where nothing stood, unless it says something else.
    mutating func noteNew(in commit: CommitNumber) {
        for index in entries.indices.reversed() {
            if entries[index].commit != commit { return }
            guard case .unknown = entries[index].what, entries[index].isThereNow == true else {
                continue
            }
            entries[index].what = .absent
        }
    }

    private mutating func index(of place: Place, _ commit: CommitNumber) -> Int {
        if latest < entries.count, entries[latest].place == place { return latest }
        if let known = find(place) {
            latest = known
            return known
        }
        latest = entries.count
        entries.append(Entry(place: place, commit: commit))
        if slots.count < 2 * entries.count {
            slots = [UInt64](repeating: 0, count: max(16, 2 * slots.count))
            for index in entries.indices { enter(index) }
        } else {
            enter(latest)
        }
        return latest
    }

    private mutating func enter(_ index: Int) {
        let spread = entries[index].place.spread
        var slot = slot(of: spread)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt64(spread) << 32 | UInt64(index + 1)
    }

    private func slot(of spread: UInt32) -> Int {
        Int(spread) >> (32 - slots.count.trailingZeroBitCount)
    }

    private func find(_ place: Place) -> Int? {
        if slots.isEmpty { return nil }
        let spread = place.spread
        var slot = slot(of: spread)
        while slots[slot] != 0 {
            let index = Int(slots[slot] & 0xFFFF_FFFF) - 1
            if slots[slot] >> 32 == spread, Place.isSpreadExact || entries[index].place == place {
                return index
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    func contains(_ place: Place) -> Bool { find(place) != nil }

    /// Whether something stands there as of the end of the look, for an entry of which that is known.
    func isThereNow(at index: Int) -> Bool { entries[index].isThereNow ?? false }

    /// The places that commits up to one have changed first.
    func places(upTo last: CommitNumber) -> some Sequence<Place> {
        entries.lazy.filter { $0.commit <= last }.map(\.place)
    }

    /// The last commit, up to one, that has changed a place first and does not say what it has replaced: as of
    /// it and of later ones everything is known. `nil`: so it is here.
    func gap(upTo last: CommitNumber) -> CommitNumber? {
        entries.lazy.filter {
            if case .unknown = $0.what { $0.commit <= last } else { false }
        }.map(\.commit).max()
    }

    /// How many more places had something than have now, once it is known of all what they have now.
    var excess: Int {
        entries.reduce(0) { sum, entry in
            let isThereNow = entry.isThereNow ?? false
            guard case .absent = entry.what else { return sum + (isThereNow ? 0 : 1) }
            return sum - (isThereNow ? 1 : 0)
        }
    }

    /// Takes from `find` which places have something now, of those of which no change said it.
    mutating func resolve(_ find: ([Place]) throws(BackendError) -> [Place]) throws(BackendError) {
        let open = entries.indices.filter { entries[$0].isThereNow == nil }
        if open.isEmpty { return }
        let present = Set(try find(open.map { entries[$0].place }))
        for index in open { entries[index].isThereNow = present.contains(entries[index].place) }
    }

    /// Calls `body` with what stood in a place; the bytes live until it returns.
    func withContent<Result>(
        of place: Place, _ body: (Content) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        guard let index = find(place) else { return try body(.same) }
        return try withContent(at: index, body)
    }

    /// Likewise of the place at an index, in the order of ``all``.
    func withContent<Result>(
        at index: Int, _ body: (Content) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        switch entries[index].what {
        case .unknown: return try body(.unknown(entries[index].commit))
        case .absent: return try body(.absent)
        case .value(let start, let count):
            return try bytes.withUnsafeBytesThrowing { bytes throws(BackendError) in
                try body(
                    .value(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])))
            }
        }
    }

    func place(at index: Int) -> Place { entries[index].place }
}

/// A row or a name.
protocol FormerPlace: Hashable, Sendable {
    /// Differs from place to place, in the higher bits at least.
    var spread: UInt32 { get }
    /// Whether it differs in any case.
    static var isSpreadExact: Bool { get }
}

extension RowID: FormerPlace {
    var spread: UInt32 { rawValue &* 0x9E37_79B1 }
    static var isSpreadExact: Bool { true }
}

extension [UInt8]: FormerPlace {
    var spread: UInt32 { UInt32(truncatingIfNeeded: hashValue) }
    static var isSpreadExact: Bool { false }
}
