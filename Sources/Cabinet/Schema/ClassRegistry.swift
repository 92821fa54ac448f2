import CabinetBackend

/// Where the class records of a store come from: the classes of a program, or the catalog.
protocol ClassSource {
    /// Makes the class records of `context`. On a throw, it is half made and of no use.
    func register(in context: ObjectContext, over backend: any Backend) throws
}

extension Array: ClassSource where Element == StoredObject.Type {
    func register(in context: ObjectContext, over backend: any Backend) throws {
        var registry = try ClassRegistry(backend)
        try registry.register(self, in: context)
    }
}

/// Brings the classes that a program registers together with the tables that a backend has.
///
/// Numbers and tables are the store's: the order of registration does not matter, and a class keeps
/// its table under a new name if it says what its name was.
struct ClassRegistry {
    private let backend: any Backend
    private let known: [TableDefinition]
    // There are 256 classes at most, and the first set of a kind has the runtime look through every
    // conformance of the program: hence arrays.
    private var usedNumbers = ClassNumbers()
    /// The classes by storage name, in lower case.
    private var takenNames: [(name: String, type: StoredObject.Type)] = []
    private var takenTables: [(number: TableNumber, type: StoredObject.Type)] = []

    init(_ backend: any Backend) throws {
        self.backend = backend
        known = try backend.tables().filter { $0.kind == .record }
        for table in known { usedNumbers.insert(table.classNumber) }
    }

    /// Registers `types` in `context`. On a throw, the context is half registered and of no use.
    mutating func register(_ types: [StoredObject.Type], in context: ObjectContext) throws {
        let unique = types.reduce(into: [StoredObject.Type]()) { seen, type in
            if !seen.contains(where: { $0 == type }) { seen.append(type) }
        }
        for type in unique {
            try StorageName.check(type.storageName)
            let name = type.storageName.lowercased()
            if let other = takenNames.first(where: { $0.name == name }) {
                throw Self.shared(type.storageName, other.type, type)
            }
            takenNames.append((name, type))
        }
        for type in unique {
            let storedClass = try makeClass(type, context)
            context.classesByNumber[Int(storedClass.number)] = storedClass
            context.classesByType.insert(storedClass, for: ObjectIdentifier(storedClass.type))
            context.classes.append(storedClass)
        }
        for storedClass in context.classes { try lookUpFormerNames(of: storedClass, context) }
        for case let storedClass? in context.classesByNumber {
            for relation in storedClass.fields.relations {
                relation.resolve(in: context, of: storedClass)
            }
        }
        try InverseResolver(context).resolve()
        startTracking(context)
        for table in known where context.classesByNumber[Int(table.classNumber)] == nil {
            context.unregisteredNames[table.classNumber] = table.name
        }
        let layouts = try CatalogLayouts(backend)
        for case let storedClass? in context.classesByNumber {
            storedClass.layouts = try StoredLayouts.find(storedClass, backend, in: layouts)
        }
        for case let storedClass? in context.classesByNumber { try storedClass.layouts?.choose() }
    }

    /// Tracks classes whose referrers a delete rule must know, asked or not. Each class learns
    /// which relationships lead to it that forget none of its objects.
    private func startTracking(_ context: ObjectContext) {
        for owner in context.classes {
            for relation in owner.fields.relations where relation.isLoose {
                for target in context.classes where relation.accepts(target) {
                    target.loose.noteOwner(relation.isMany ? owner : nil)
                }
            }
        }
        let relations = context.classesByNumber.compactMap { $0 }.flatMap(\.fields.relations)
        for relation in relations where relation.needsReferrers {
            for case let storedClass? in context.classesByNumber where relation.accepts(storedClass)
            {
                storedClass.tracksReferrers = true
                if relation.rule == .nullify { storedClass.isNullified = true }
            }
        }
    }

    private mutating func makeClass(
        _ type: StoredObject.Type, _ context: ObjectContext
    ) throws -> StoredClass {
        let name = type.storageName
        let definition = try table(of: type)
        if let definition {
            // Two classes had the same name once, and neither has more right to the table.
            if let other = takenTables.first(where: { $0.number == definition.number }) {
                throw Self.shared(definition.name, other.type, type)
            }
            takenTables.append((definition.number, type))
            // What says so in the log is not sealed: the class decides.
            if backend.isEncrypted, type.isEncrypted, definition.flags.contains(.unsealed) {
                throw StoreError.leftUnsealed(name)
            }
        }
        let place = try definition ?? newPlace(for: type)
        return StoredClass(
            type, name: name, number: place.classNumber, table: place.number,
            definition: definition,
            newFlags: backend.isEncrypted && !type.isEncrypted ? .unsealed : [],
            fields: try FieldTable(type), context: context)
    }

    /// Finds former names that the catalog does not know yet. Refuses a class that has no table
    /// because a newer program renamed it: it would begin anew beside its records.
    private func lookUpFormerNames(of storedClass: StoredClass, _ context: ObjectContext) throws {
        let former = storedClass.type.formerStorageNames.filter { name in
            !takenNames.contains { $0.name == name.lowercased() }
        }
        for name in former + (storedClass.definition == nil ? [storedClass.name] : []) {
            guard let number = try backend.catalogEntry(CatalogName.formerClass(name))?.first else {
                if name != storedClass.name { storedClass.unrecordedNames.append(name) }
                continue
            }
            guard storedClass.definition == nil, context.classesByNumber[Int(number)] == nil,
                let table = known.first(where: { $0.classNumber == number })
            else { continue }
            throw StoreError.renamedClass(storedClass.name, now: table.name)
        }
    }

    private static func shared(
        _ name: String, _ first: StoredObject.Type, _ second: StoredObject.Type
    ) -> StoreError {
        .sharedStorageName(name, classes: [first, second].map { String(reflecting: $0) })
    }

    /// The table under the class's name, or under one of its former names that no other class has.
    private func table(of type: StoredObject.Type) throws -> TableDefinition? {
        if let found = table(named: type.storageName) { return found }
        for former in type.formerStorageNames
        where !takenNames.contains(where: { $0.name == former.lowercased() }) {
            if let found = table(named: former) { return found }
        }
        return nil
    }

    private func table(named name: String) -> TableDefinition? {
        let lowercased = name.lowercased()
        return known.first { $0.name.lowercased() == lowercased }
    }

    /// The table and the number of a new class: in every store over the backend the same for its
    /// name, and for no other name.
    private mutating func newPlace(for type: StoredObject.Type) throws -> TableDefinition {
        let name = type.storageName
        guard backend.access == .readWrite else { return try unusedPlace(for: name) }
        do {
            return try backend.claim(
                TableClaim(kind: .record, name: name, classVersion: type.version))
        } catch BackendError.classNumbersExhausted {
            throw StoreError.tooManyClasses(name)
        }
    }

    /// A store that cannot be written never defines the table, so any number that is free will do.
    private mutating func unusedPlace(for name: String) throws(StoreError) -> TableDefinition {
        guard let number = (0...UInt8.max).first(where: { !usedNumbers.contains($0) }) else {
            throw .tooManyClasses(name)
        }
        usedNumbers.insert(number)
        return TableDefinition(number: .max, kind: .record, name: name, classNumber: number)
    }
}
