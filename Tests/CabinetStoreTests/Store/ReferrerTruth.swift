import CabinetBackend
import Testing

@testable import Cabinet

/// What the table of referrers should hold, computed from the records of a backend, and what it
/// holds.
struct ReferrerTruth {
    typealias ClassRow = WrittenReferences.Target

    struct Pair: Hashable, Comparable, CustomStringConvertible {
        let owner: ClassRow
        let target: ClassRow

        static func < (one: Pair, other: Pair) -> Bool {
            (one.owner, one.target) < (other.owner, other.target)
        }
        var description: String {
            "\(owner.classNumber).\(owner.row) -> \(target.classNumber).\(target.row)"
        }
    }

    let written: Set<Pair>
    private(set) var byOwner: Set<Pair>
    private(set) var byTarget: Set<Pair>

    /// The objects that have records. A reference to another one is loose: the table may have it
    /// for as long as the record does, and need not.
    let there: Set<ClassRow>

    var isRight: Bool { missing.isEmpty && stray.isEmpty && byOwner == byTarget }

    private var missing: Set<Pair> {
        written.subtracting(byOwner.intersection(byTarget)).filter { there.contains($0.target) }
    }
    private var stray: Set<Pair> { byOwner.union(byTarget).subtracting(written) }

    /// The objects whose records refer to `object`.
    func owners(of object: StoredObject) -> Set<ClassRow> {
        guard let number = object.storedClass?.number else { return [] }
        let target = ClassRow(classNumber: number, row: object.rowID)
        return Set(written.lazy.filter { $0.target == target }.map(\.owner))
    }

    /// How many saves of `store` have written unmerged blocks, which may have been entered since.
    static func unmergedSaves(of store: Store) -> Int { store.referrerTable?.unmergedCommits ?? 0 }

    /// What is missing in the table, and what is too much.
    var difference: String {
        "missing \(missing.sorted()), stray \(stray.sorted())"
    }

    /// Reads the records with a store of its own, and references to what is gone, too.
    init(_ backend: any Backend, _ classes: [StoredObject.Type]) throws {
        let store = try Store(backend: backend, classes: classes)
        var written: Set<Pair> = []
        var there: Set<ClassRow> = []
        try store.keepingGone {
            try store.forEachSavedObject { object, storedClass in
                let owner = ClassRow(classNumber: storedClass.number, row: object.rowID)
                there.insert(owner)
                for target in store.targets(of: object) {
                    written.insert(Pair(owner: owner, target: target))
                }
            }
        }
        (self.written, self.there) = (written, there)
        var (byOwner, byTarget): (Set<Pair>, Set<Pair>) = ([], [])
        // Fresh blocks are entered by another thread.
        let reader: any BackendReader = backend.isolatesCommits ? try backend.snapshot() : backend
        let table = try reader.tables().first { $0.name == ReferrerTable.tableName }?.number
        if let table {
            let run = EntryRun()
            let cursor = try reader.entries(
                in: table, range: .everything, descending: false)
            while try cursor.next(run) {
                while let (key, _) = run.next() {
                    if UnmergedBlock.isKey(key) { continue }
                    let entry = try #require(ReferrerKeys.Entry(key))
                    let pair = Pair(owner: entry.owner, target: entry.target)
                    if entry.direction == .byOwner {
                        byOwner.insert(pair)
                    } else {
                        byTarget.insert(pair)
                    }
                }
            }
        }
        (self.byOwner, self.byTarget) = (byOwner, byTarget)
        if let table { try takeUnmerged(in: table, reader) }
    }

    /// What the blocks say counts more than keys do; the latest block counts most.
    private mutating func takeUnmerged(
        in table: TableNumber, _ reader: any BackendReader
    ) throws {
        var latest: [ClassRow: [ClassRow]] = [:]
        try UnmergedBlock.forEach(in: table, reader) { _, value in
            try UnmergedBlock.forEachOwner(in: value) { latest[$0] = $1 }
            return true
        }
        let fresh = latest.flatMap { owner, targets in
            targets.map { Pair(owner: owner, target: $0) }
        }
        byOwner = byOwner.filter { latest[$0.owner] == nil }.union(fresh)
        byTarget = byTarget.filter { latest[$0.owner] == nil }.union(fresh)
    }
}

extension Store {
    /// Does what the upkeep thread does for the table of referrers. The store must have no pending changes.
    func keepReferrersInForm() throws {
        try withExtendedLifetime(self) { try referrerTable?.keepInForm() }
    }
}
