import CabinetBackend

/// Reads the table of referrers while saves go on. `Sendable`: the backend guards itself.
struct ReferrerIndex: Sendable {
    typealias ClassRow = WrittenReferences.Target

    let backend: any Backend
    let table: TableNumber
    /// The classes whose referrers the table has, each of them.
    let complete: Set<UInt8>
    private let known = KnownFresh()

    /// What fresh blocks say, and the commit that they are of.
    private final class KnownFresh: Sendable {
        let latest = Guarded<(commit: CommitNumber, references: FreshReferences)?>(nil)
    }

    /// `nil` if the store has no such table.
    init?(_ backend: any Backend) throws {
        let found = try backend.tables().first { $0.name == ReferrerTable.tableName }
        guard let found else { return nil }
        self.backend = backend
        table = found.number
        complete = try backend.trackedClasses()
    }

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

    /// What the table says that `owner` refers to, in those classes.
    func listed(_ owner: ClassRow) throws -> Set<ClassRow> {
        let listed = try fresh().targets(of: owner).map(Set.init) ?? classRows(.byOwner, owner)
        return listed.filter { complete.contains($0.classNumber) }
    }

    /// The referrers of `target` by the table.
    func owners(of target: ClassRow) throws -> Set<ClassRow> {
        let fresh = try fresh()
        let entered = try classRows(.byTarget, target).filter { fresh.targets(of: $0) == nil }
        return entered.union(fresh.owners(of: target))
    }

    /// What fresh blocks say now.
    private func fresh() throws -> FreshReferences {
        let commit = try backend.lastCommit()
        return try known.latest.withLock { latest in
            if let latest, latest.commit == commit { return latest.references }
            let references = try FreshReferences(in: table, backend, passesOverDamage: true)
            latest = (commit, references)
            return references
        }
    }

    private func classRows(
        _ direction: ReferrerKeys.Direction, _ first: ClassRow
    ) throws -> Set<ClassRow> {
        var classRows: Set<ClassRow> = []
        let run = EntryRun()
        let cursor = try backend.entries(
            in: table, range: KeyRange(prefix: ReferrerKeys.prefix(direction, first)),
            descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() {
                if let classRow = ReferrerKeys.second(of: key) { classRows.insert(classRow) }
            }
        }
        return classRows
    }

    func has(_ key: [UInt8]) throws -> Bool {
        let buffer = DataBuffer()
        return try key.withUnsafeBytes { try backend.value(forKey: $0, in: table, into: buffer) }
    }
}
