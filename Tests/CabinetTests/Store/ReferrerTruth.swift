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
    let byOwner: Set<Pair>
    let byTarget: Set<Pair>

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

    /// What is missing in the table, and what is too much.
    var difference: String {
        "missing \(missing.sorted()), stray \(stray.sorted())"
    }

    /// Reads the records with a store of its own, which knows of no object that is gone.
    init(_ backend: any Backend, _ classes: [StoredObject.Type]) throws {
        let store = try Store(backend: backend, classes: classes)
        var written: Set<Pair> = []
        var there: Set<ClassRow> = []
        try store.forEachSavedObject { object, storedClass in
            let owner = ClassRow(classNumber: storedClass.number, row: object.rowID)
            there.insert(owner)
            for target in store.targets(of: object) {
                written.insert(Pair(owner: owner, target: target))
            }
        }
        (self.written, self.there) = (written, there)
        var (byOwner, byTarget): (Set<Pair>, Set<Pair>) = ([], [])
        if let table = try backend.tables().first(where: { $0.name == ReferrerTable.tableName }) {
            let run = EntryRun()
            let cursor = try backend.entries(
                in: table.number, range: .everything, descending: false)
            while try cursor.next(run) {
                while let (key, _) = run.next() {
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
    }
}
