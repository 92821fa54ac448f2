import CabinetBackend

/// What the table of referrers says of owners that are asked for in ascending order: one cursor,
/// which steps where owners lie close together and seeks where they do not.
struct SavedTargets {
    typealias ClassRow = WrittenReferences.Target

    /// How many keys of other owners are stepped over before it seeks: a seek costs about as much.
    private static let patience = 32
    /// How many keys a read gives after a seek. Each further one doubles that.
    private static let firstRead = 64

    private let cursor: any EntryCursor
    private let run: EntryRun
    private var limit = SavedTargets.firstRead
    private var latest: ReferrerKeys.Entry?
    private var found: [ClassRow] = []

    /// - Parameter run: what keys are read into, which nothing else uses meanwhile.
    init(
        of first: ClassRow, in table: TableNumber, _ reader: any BackendReader, by run: EntryRun
    ) throws(BackendError) {
        cursor = try reader.entries(
            in: table,
            range: KeyRange(
                from: ReferrerKeys.prefix(.byOwner, first), to: ReferrerKeys.end(.byOwner)),
            descending: false)
        self.run = run
        run.removeAll()
        try step()
    }

    /// What `owner` refers to, each once and in order. Owners come in ascending order.
    mutating func next(_ owner: ClassRow) throws(BackendError) -> [ClassRow] {
        found.removeAll(keepingCapacity: true)
        var steps = 0
        while let entry = latest, entry.owner < owner {
            steps += 1
            if steps > Self.patience {
                try cursor.seek(ReferrerKeys.prefix(.byOwner, owner))
                run.removeAll()
                limit = Self.firstRead
            }
            try step()
        }
        while let entry = latest, entry.owner == owner {
            found.append(entry.target)
            try step()
        }
        return found
    }

    private mutating func step() throws(BackendError) {
        while true {
            if let (key, _) = run.next() {
                // Bytes that are no key of ours are another program's.
                guard let entry = ReferrerKeys.Entry(key) else { continue }
                latest = entry
                return
            }
            guard try cursor.next(run, limit: limit) else {
                latest = nil
                return
            }
            limit = limit > Int.max / 2 ? limit : limit * 2
        }
    }
}
