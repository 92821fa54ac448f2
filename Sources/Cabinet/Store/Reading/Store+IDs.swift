import CabinetBackend

extension Store {
    /// The object of `id`, with its content; `nil` if its record is gone or its delete is pending.
    ///
    /// - Throws: ``StoreError/foreignID(class:)`` for an ID of another store,
    ///   ``StoreError/classNotRegistered(_:)``, ``StoreError/wrongClass(expected:found:)`` if the
    ///   object is no `Object`, or why the record cannot be read.
    public func object<Object: StoredObject>(_ id: ObjectID<Object>) throws -> Object? {
        try checkOpen()
        reconcileEdits()
        guard let found = try object(of: try storedClass(of: id), id.rowID) else { return nil }
        return unsafeDowncast(found, to: Object.self)
    }

    /// The objects of `ids`, with their content, in the order of the IDs. IDs whose object is gone,
    /// or whose delete is pending, are left out; an ID that comes twice gives its object twice.
    ///
    /// Reads class by class, in the order of rows, or in one walk if a sixth of the class or more is
    /// wanted.
    /// - Throws: what ``object(_:)`` does, and then nothing is returned; a ``BackendError``.
    public func objects<Object: StoredObject>(
        _ ids: [ObjectID<Object>]
    ) throws -> [Object] {
        try checkOpen()
        reconcileEdits()
        var wanted: [[RowID]] = []
        var places: [(number: Int, row: RowID)] = []
        var known: (table: TableNumber, store: UInt64, number: Int)?
        for id in ids {
            if known?.table != id.table || known?.store != id.store {
                known = (id.table, id.store, Int(try storedClass(of: id).number))
            }
            guard let number = known?.number else { continue }
            while wanted.count <= number { wanted.append([]) }
            wanted[number].append(id.rowID)
            places.append((number, id.rowID))
        }
        var found: [[RowID: StoredObject]] = []
        for (storedClass, rows) in zip(classesByNumber, wanted) {
            found.append(rows.isEmpty ? [:] : try storedClass.map { try read(rows, of: $0) } ?? [:])
        }
        return places.compactMap { place in
            found[place.number][place.row].map { unsafeDowncast($0, to: Object.self) }
        }
    }

    /// - Throws: as ``object(_:)-(ObjectID<Object>)``.
    func storedClass<Object: StoredObject>(of id: ObjectID<Object>) throws -> StoredClass {
        let number = storeNumber
        guard number != 0, id.store == number else {
            throw StoreError.foreignID(class: "\(Object.self)")
        }
        guard let storedClass = classes.first(where: { $0.table == id.table }) else {
            let name = try backend.tables().first { $0.number == id.table }?.name
            throw StoreError.classNotRegistered(name ?? "of table \(id.table)")
        }
        guard storedClass.type is Object.Type else {
            throw StoreError.wrongClass(expected: "\(Object.self)", found: storedClass.name)
        }
        return storedClass
    }

    /// The objects of rows, with their content; those that are gone are left out.
    func read(_ rows: [RowID], of storedClass: StoredClass) throws -> [RowID: StoredObject] {
        var found: [RowID: StoredObject] = [:]
        found.reserveCapacity(rows.count)
        let sorted = rows.sorted()
        if try isWalkQuicker(for: sorted.count, of: storedClass) {
            try walk(storedClass, for: Set(sorted)) { found[$0] = $1 }
        }
        let lookup = RecordLookup(of: storedClass)
        lookup.begin(sorted.filter { found[$0] == nil && storedClass.existing($0) == nil })
        let reader = DataBuffer()
        for row in sorted where found[row] == nil {
            if storedClass.existing(row) == nil,
                case .record(let record) = try lookup.record(of: row, in: self)
            {
                found[row] = try meet(record, at: row, of: storedClass, by: reader)
            } else {
                found[row] = try object(of: storedClass, row)
            }
        }
        return found
    }

    /// Calls `body` with each object of a record in `rows`, which may hold rows without one.
    private func walk(
        _ storedClass: StoredClass, for rows: Set<RowID>, _ body: (RowID, StoredObject) -> Void
    ) throws {
        var left = rows.count
        let reader = DataBuffer()
        let walk = try records(of: storedClass)
        defer { walk.end() }
        while left > 0, try walk.next() {
            let run = walk.run
            while let (row, record) = run.next() {
                guard rows.contains(row) else { continue }
                left -= 1
                if let object = try meet(record, at: row, of: storedClass, by: reader) {
                    body(row, object)
                }
            }
        }
    }
}
