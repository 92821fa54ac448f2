import CabinetBackend

/// The names that the table of a class may have: the class's own and, until a save gives it that, its former
/// ones. Letter case does not count.
struct TableNames: Sendable {
    private let names: [String]
    /// Of a table that a newer program may rename; `nil` if there is none yet.
    private var number: TableNumber?

    /// - Parameter classes: what else is stored there. A former name that one of them has now is no longer
    ///   one of `type`.
    init(of type: StoredObject.Type, among classes: [StoredObject.Type]) {
        let taken = Set(classes.map { $0.storageName.lowercased() })
        names =
            [type.storageName.lowercased()]
            + type.formerStorageNames.map { $0.lowercased() }.filter { !taken.contains($0) }
    }

    /// Of a class that may be there. If that cannot be told now, its table is looked for by its names later.
    init(
        of type: StoredObject.Type, among classes: [StoredObject.Type], in backend: any Backend
    ) {
        self.init(of: type, among: classes)
        number = (try? backend.tables()).flatMap(table)?.number
    }

    /// Of a class that a store has open.
    init(of storedClass: StoredClass, among classes: [StoredObject.Type]) {
        self.init(of: storedClass.type, among: classes)
        number = storedClass.definition?.number
    }

    /// The table of the class among `tables`; `nil` if there is none yet.
    func table(among tables: [TableDefinition]) -> TableDefinition? {
        if let number, let found = tables.first(where: { $0.number == number }) { return found }
        for name in names {
            let found = tables.first { $0.kind == .record && $0.name.lowercased() == name }
            if let found { return found }
        }
        return nil
    }
}
