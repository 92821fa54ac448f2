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
    /// Whether the batch of the current save defines the table.
    private var isDefinedByBatch = false
    /// The classes that the table is complete for.
    private var complete: Set<UInt8> = []
    private var completeAfterCommit: Set<UInt8> = []
    /// What is read of the table: one run for all reads, as each takes 260 KiB.
    private lazy var run = EntryRun()

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
        run.removeAll()
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

    /// Adds to `batch` what changes in the table as the record of `object`, which was added just
    /// now, refers to what was `written`.
    ///
    /// Nothing of it is kept: a save takes memory for one record's references, whatever it holds.
    func enter(
        _ written: WrittenReferences, of object: StoredObject, _ home: StoredClass,
        in batch: WriteBatch
    ) throws {
        let isNew = object.state.contains(.inserted)
        if isNew, written.isEmpty { return }
        let owner = Place(classNumber: home.number, row: object.rowID)
        try replace(
            owner, written.sorted(), isNew: isNew, in: batch, try definedTable(in: batch))
    }

    func join(_ changes: ChangeSet, in batch: WriteBatch) throws {
        let table = try definedTable(in: batch)
        try enterNewClasses(changes, in: batch, table)
        try changes.objects.forEachHeld { object in
            guard object.state.isSuperset(of: [.saved, .deleted]), let home = object.home else {
                return
            }
            let owner = Place(classNumber: home.number, row: object.rowID)
            try replace(owner, [], isNew: false, in: batch, table)
        }
    }

    func didEnd(committed: Bool) {
        if committed {
            isDefined = true
            complete = completeAfterCommit
        }
        isDefinedByBatch = false
        current.removeAll(keepingRoomFor: 0)
    }

    private func definedTable(in batch: WriteBatch) throws -> TableNumber {
        if let table, isDefined || isDefinedByBatch { return table }
        // Another store over the backend may have made it since.
        if let found = try store.backend.tables().first(where: { $0.name == Self.tableName }) {
            table = found.number
            isDefined = true
            return found.number
        }
        let number = try table ?? store.backend.reserveTable()
        table = number
        try batch.define(TableDefinition(number: number, kind: .ordered, name: Self.tableName))
        isDefinedByBatch = true
        return number
    }

    /// Enters what the saved objects refer to, if a class has begun to track since; notes which
    /// classes have ceased to.
    private func enterNewClasses(
        _ changes: ChangeSet, in batch: WriteBatch, _ table: TableNumber
    ) throws {
        let homes = store.classesByNumber.compactMap { $0 }
        let tracking = Set(homes.lazy.filter(\.tracksReferrers).map(\.number))
        completeAfterCommit = complete.subtracting(homes.map(\.number)).union(tracking)
        guard completeAfterCommit != complete else { return }
        if !completeAfterCommit.isSubset(of: complete) {
            // What is pending is written by a save, and left alone by an upgrade.
            let isSave = changes === store.changes
            try store.forEachSavedObject(pendingToo: !isSave) { object, home in
                let owner = Place(classNumber: home.number, row: object.rowID)
                let targets = store.targets(of: object).sorted()
                try replace(owner, targets, isNew: false, in: batch, table)
            }
        }
        let numbers = completeAfterCommit.sorted()
        try Array(CatalogName.referrers.utf8).withUnsafeBytes { key throws in
            try numbers.withUnsafeBytes { value throws in
                try batch.put(value, for: key, in: .catalog)
            }
        }
    }

    /// Makes `targets`, each once and in order, all that `owner` refers to.
    ///
    /// - Parameter isNew: whether `owner` has no record yet, and so no references in the table.
    private func replace(
        _ owner: Place, _ targets: [Place], isNew: Bool, in batch: WriteBatch, _ table: TableNumber
    ) throws {
        var old: [Place] = []
        if isDefined, !isNew {
            // In the order of their keys, which is that of the places.
            old = try places(in: table, ReferrerKeys.prefix(.byOwner, owner))
        }
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        var rest = old[...]
        for target in targets {
            while let gone = rest.first, gone < target {
                _ = rest.popFirst()
                try delete(owner, gone, in: batch, table)
            }
            if rest.first == target {
                _ = rest.popFirst()
                continue
            }
            try ReferrerKeys.withBoth(owner, target) { try batch.put(empty, for: $0, in: table) }
        }
        for gone in rest { try delete(owner, gone, in: batch, table) }
    }

    private func delete(
        _ owner: Place, _ target: Place, in batch: WriteBatch, _ table: TableNumber
    ) throws {
        try ReferrerKeys.withBoth(owner, target) { try batch.deleteKey($0, in: table) }
    }
}
