import CabinetBackend

/// Keeps who refers to objects of the classes that track their referrers, in the same saves as the
/// references.
///
/// A class that begins to track is entered whole by the next save, which reads all objects once.
final class ReferrerTable: CommitParticipant {
    typealias Place = WrittenReferences.Target

    /// Holds a `.`, as no class's name does.
    static let tableName = "Store.referrers"

    /// What the object that is being written refers to: one after another, without a block each.
    let current = WrittenReferences()

    private unowned let store: Store
    private var table: TableNumber?
    private var isDefined = false
    /// The classes that the table is complete for.
    private var complete: Set<UInt8> = []
    private var completeAfterCommit: Set<UInt8> = []
    /// What the objects of the current save refer to.
    private var written: [Place: Set<Place>] = [:]

    init(_ store: Store) throws {
        self.store = store
        let found = try store.backend.tables().first { $0.name == Self.tableName }
        table = found?.number
        isDefined = found != nil
        if isDefined, let numbers = try store.backend.catalogEntry(CatalogName.referrers) {
            complete = Set(numbers)
        }
    }

    /// The table of a store whose classes track no referrers any more, to note that from now on it
    /// misses some; `nil` if there is nothing to note.
    static func neglected(by store: Store) throws -> ReferrerTable? {
        let table = try ReferrerTable(store)
        return table.complete.isEmpty ? nil : table
    }

    /// Whether ``owners(of:)`` knows all saved referrers of objects of `home`.
    func isComplete(for home: StoredClass) -> Bool { complete.contains(home.number) }

    /// The places of all saved objects that refer to `target`.
    func owners(of target: Place) throws -> [Place] {
        guard let table, isDefined else { return [] }
        return try places(in: table, ReferrerKeys.prefix(.byTarget, target))
    }

    private func places(in table: TableNumber, _ prefix: [UInt8]) throws -> [Place] {
        var found: [Place] = []
        let run = EntryRun()
        let cursor = try store.backend.entries(
            in: table, range: KeyRange(prefix: prefix), descending: false)
        while try cursor.next(run) {
            while let (key, _) = run.next() {
                if let place = ReferrerKeys.second(of: key) { found.append(place) }
            }
        }
        return found
    }

    // MARK: In a save

    /// The object that is being saved refers to `targets`.
    func note(_ targets: Set<Place>, from object: StoredObject, _ home: StoredClass) {
        written[Place(classNumber: home.number, row: object.rowID)] = targets
    }

    func join(_ changes: ChangeSet, in batch: WriteBatch) throws {
        let table = try definedTable(in: batch)
        try enterNewClasses(in: batch, table)
        for object in changes.objects where object.state.isSuperset(of: [.saved, .deleted]) {
            guard let home = object.home else { continue }
            written[Place(classNumber: home.number, row: object.rowID)] = []
        }
        for (owner, targets) in written { try replace(owner, targets, in: batch, table) }
    }

    func didEnd(committed: Bool) {
        if committed {
            isDefined = true
            complete = completeAfterCommit
        }
        written = [:]
    }

    private func definedTable(in batch: WriteBatch) throws -> TableNumber {
        if let table, isDefined { return table }
        // Another store over the backend may have made it since.
        if let found = try store.backend.tables().first(where: { $0.name == Self.tableName }) {
            table = found.number
            isDefined = true
            return found.number
        }
        let number = try table ?? store.backend.reserveTable()
        table = number
        try batch.define(TableDefinition(number: number, kind: .ordered, name: Self.tableName))
        return number
    }

    /// Enters what the saved objects refer to, if a class has begun to track since; notes which
    /// classes have ceased to.
    private func enterNewClasses(in batch: WriteBatch, _ table: TableNumber) throws {
        let homes = store.classesByNumber.compactMap { $0 }
        let tracking = Set(homes.lazy.filter(\.tracksReferrers).map(\.number))
        completeAfterCommit = complete.subtracting(homes.map(\.number)).union(tracking)
        guard completeAfterCommit != complete else { return }
        if !completeAfterCommit.isSubset(of: complete) {
            try store.forEachSavedObject(pendingToo: true) { object, home in
                let owner = Place(classNumber: home.number, row: object.rowID)
                if written[owner] == nil { written[owner] = store.targets(of: object) }
            }
        }
        let numbers = completeAfterCommit.sorted()
        try Array(CatalogName.referrers.utf8).withUnsafeBytes { key throws in
            try numbers.withUnsafeBytes { value throws in
                try batch.put(value, for: key, in: .catalog)
            }
        }
    }

    /// Makes `targets` all that `owner` refers to.
    private func replace(
        _ owner: Place, _ targets: Set<Place>, in batch: WriteBatch, _ table: TableNumber
    ) throws {
        var old: Set<Place> = []
        if isDefined { old = Set(try places(in: table, ReferrerKeys.prefix(.byOwner, owner))) }
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        for target in targets.subtracting(old).sorted() {
            for key in keys(owner, target) {
                try key.withUnsafeBytes { try batch.put(empty, for: $0, in: table) }
            }
        }
        for target in old.subtracting(targets).sorted() {
            for key in keys(owner, target) {
                try key.withUnsafeBytes { try batch.deleteKey($0, in: table) }
            }
        }
    }

    private func keys(_ owner: Place, _ target: Place) -> [[UInt8]] {
        [
            ReferrerKeys.key(.byTarget, target, owner),
            ReferrerKeys.key(.byOwner, owner, target),
        ]
    }
}
