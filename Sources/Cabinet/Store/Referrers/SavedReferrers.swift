import CabinetBackend

/// The table of referrers as a reader has it: as of one commit, or, of a backend itself, as saves go on.
///
/// `Sendable`: a lock guards what it remembers.
struct SavedReferrers: Sendable {
    typealias ClassRow = WrittenReferences.Target

    let reader: any BackendReader
    let table: TableNumber
    /// The classes whose referrers the table has, each of them.
    let complete: Set<UInt8>
    private let known = KnownUnmerged()

    /// What unmerged blocks say, and the commit that they are of.
    private final class KnownUnmerged: Sendable {
        let latest = Guarded<(commit: CommitNumber, references: UnmergedReferences)?>(nil)
    }

    /// `nil` if the store has no such table.
    init?(_ reader: any BackendReader) throws {
        let found = try reader.tables().first { $0.name == ReferrerTable.tableName }
        guard let found else { return nil }
        self.reader = reader
        table = found.number
        complete = try reader.trackedClasses()
    }

    /// The referrers of `target`, each once and in ascending order.
    /// - Parameter run: what keys are read into, which nothing else uses meanwhile.
    func owners(of target: ClassRow, by run: EntryRun = EntryRun()) throws -> [ClassRow] {
        try unmerged().owners(of: target, entered: entered(.byTarget, target, by: run))
    }

    /// What `owner` refers to.
    func targets(of owner: ClassRow) throws -> [ClassRow] {
        try unmerged().targets(of: owner).map(Array.init)
            ?? entered(.byOwner, owner, by: EntryRun())
    }

    /// What unmerged blocks say; of a damaged one what is before the damage.
    func unmerged() throws -> UnmergedReferences {
        let commit = try reader.lastCommit()
        return try known.latest.withLock { latest in
            if let latest, latest.commit == commit { return latest.references }
            let references =
                try Self.hasUnmerged(in: table, reader)
                ? UnmergedReferences(in: table, reader, passesOverDamage: true)
                : UnmergedReferences()
            latest = (commit, references)
            return references
        }
    }

    /// Whether there are unmerged blocks.
    static func hasUnmerged(
        in table: TableNumber, _ reader: any BackendReader
    ) throws(BackendError) -> Bool {
        try reader.count(of: KeyRange(prefix: UnmergedBlock.keyPrefix), in: table, upTo: 1) > 0
    }

    /// What keys say.
    private func entered(
        _ direction: ReferrerKeys.Direction, _ first: ClassRow, by run: EntryRun
    ) throws -> [ClassRow] {
        var found: [ClassRow] = []
        run.removeAll()
        let cursor = try reader.entries(
            in: table, range: KeyRange(prefix: ReferrerKeys.prefix(direction, first)),
            descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() {
                if let classRow = ReferrerKeys.second(of: key) { found.append(classRow) }
            }
        }
        return found
    }

    func has(_ key: [UInt8]) throws -> Bool {
        try reader.value(forKey: key, in: table, into: DataBuffer())
    }
}

extension SavedReferrers {
    /// Those of the references that the table must have.
    func required(_ references: [RecordDecoder.FoundReference]) -> Set<ClassRow> {
        var classRows: Set<ClassRow> = []
        for reference in references {
            guard let number = reference.target.classNumber, complete.contains(number) else {
                continue
            }
            classRows.insert(ClassRow(classNumber: number, row: reference.target.row))
        }
        return classRows
    }

    /// Those of what the table says that `owner` refers to.
    func listed(_ owner: ClassRow) throws -> Set<ClassRow> {
        Set(try targets(of: owner).filter { complete.contains($0.classNumber) })
    }
}
