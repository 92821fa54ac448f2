import CabinetBackend

extension Store {
    /// All objects of exactly class `type`, in ascending order of their rows, with their content.
    ///
    /// Pending changes count: inserted objects are in, deleted ones are out. What is in memory
    /// already keeps its content.
    /// - Parameters:
    ///   - type: the class.
    ///   - unreadable: called with the row and the error of each record that cannot be read, after all
    ///     records were read. Its object is left out, the store calls the log sink and the delegate, and
    ///     the record stays as it is. The error is what `load()` throws. `nil`: the first one ends the call.
    /// - Throws: ``StoreError/classNotRegistered(_:)``; for the first record that cannot be read,
    ///   what `load()` throws, or what `unreadable` throws; a ``BackendError`` for files that cannot be read.
    public func objects<Object: StoredObject>(
        of type: Object.Type,
        unreadable: ((_ rowID: RowID, _ error: any Error) throws -> Void)? = nil
    ) throws -> [Object] {
        let failures = unreadable.map { _ in ReadFailures() }
        let found: [Object] = try objects(of: try classToRead(type), failures)
        for failure in failures?.list ?? [] { try unreadable?(failure.row, failure.error) }
        return found
    }

    /// The class of `type`, with all that follows from edits done.
    func classToRead(_ type: StoredObject.Type) throws -> StoredClass {
        try checkOpen()
        reconcileEdits()
        return try registered(type)
    }

    /// All objects of a class; unreadable ones go to `failures`, or end the call without them.
    private func objects<Object: StoredObject>(
        of storedClass: StoredClass, _ failures: ReadFailures?
    ) throws -> [Object] {
        var isAscending = true
        var last: RowID = 0
        var found = try savedObjects(of: storedClass, failures) { row in
            isAscending = isAscending && row > last
            last = row
        }
        storedClass.reads.noteWalk(of: found.count)
        for object in overlay.inserted(of: storedClass) {
            isAscending = isAscending && object.rowID > last
            last = object.rowID
            found.append(object)
        }
        if !isAscending { found.sort { $0.rowID < $1.rowID } }
        // All are of the class: a cast of each would take as long as reading it.
        return unsafeBitCast(found, to: [Object].self)
    }

    /// The objects of all records, with their content; `body` gets the row of each. Straight into
    /// the array's memory: appending counts each object's references twice.
    @inline(__always)
    private func savedObjects(
        of storedClass: StoredClass, _ failures: ReadFailures?, _ body: (RowID) -> Void
    ) throws -> [StoredObject] {
        // Never none: the one empty array that all threads share would be written to.
        let room = max(try reader.count(of: storedClass.table) + storedClass.pendingInserts, 1)
        // Another store may have added some since.
        var surplus: [StoredObject] = []
        let found = try [StoredObject](unsafeUninitializedCapacity: room) { objects, filled in
            let reader = DataBuffer()
            let walk = try records(of: storedClass)
            defer { walk.end() }
            var heapGrowth = HeapGrowth()
            let before = storedClass.liveObjects
            while try walk.next() {
                let run = walk.run
                let first = filled
                while let (row, record) = run.next() {
                    let met: StoredObject?
                    do { met = try meet(record, at: row, of: storedClass, by: reader) } catch {
                        try failures.keep(error, row)
                        continue
                    }
                    guard let object = met else { continue }
                    body(row)
                    if filled < room, let base = objects.baseAddress {
                        (base + filled).initialize(to: object)
                        filled += 1
                    } else {
                        surplus.append(object)
                    }
                }
                let made = storedClass.liveObjects - before
                if run.isFull, made > 0, filled > first {
                    heapGrowth.prepare(
                        after: made, more: room - filled,
                        size: HeapGrowth.objectSize + run.size / (filled - first))
                }
            }
        }
        return surplus.isEmpty ? found : found + surplus
    }

    /// A walk over the records of a class, which must be ended.
    func records(of storedClass: StoredClass) throws(BackendError) -> RecordWalk {
        RecordWalk(try readerForWalk().records(in: storedClass.table))
    }

    /// The object of exactly class `type` in `rowID`, with its content; `nil` if there is none.
    ///
    /// - Throws: ``StoreError/classNotRegistered(_:)``, or why the record cannot be read.
    public func object<Object: StoredObject>(
        _ type: Object.Type, rowID: RowID
    ) throws -> Object? {
        try checkOpen()
        reconcileEdits()
        guard let found = try object(of: try registered(type), rowID) else { return nil }
        return unsafeDowncast(found, to: Object.self)
    }

    /// The object of `row`, with its content; `nil` if there is none.
    func object(of storedClass: StoredClass, _ row: RowID) throws -> StoredObject? {
        if let existing = storedClass.existing(row) {
            if existing.state.contains(.deleted) { return nil }
            do { try load(existing) } catch StoreError.rowGone { return nil }
            return existing
        }
        guard row != 0, storedClass.goneRows.isEmpty || !storedClass.goneRows.contains(row) else {
            return nil
        }
        return try withBuffer { record in
            guard try readRecord(row, of: storedClass, into: record) else { return nil }
            return try withBuffer { reader in
                try record.withUnsafeBytes { bytes throws in
                    try meet(bytes, at: row, of: storedClass, by: reader)
                }
            }
        }
    }

    /// What the store knows of class `type`.
    public func metadata<Object: StoredObject>(of type: Object.Type) throws -> ClassMetadata {
        try checkOpen()
        reconcileEdits()
        let storedClass = try registered(type)
        return ClassMetadata(
            storageName: storedClass.name, number: storedClass.number, version: storedClass.version,
            highestVersion: storedClass.definition?.classVersion ?? storedClass.version,
            savedRows: try reading { reader throws(BackendError) in
                try reader.count(of: storedClass.table)
            },
            liveObjects: storedClass.liveObjects,
            unclaimedFields: storedClass.layouts?.unclaimedFields ?? [])
    }

    /// Lets every object in memory drop its references to others, to break retain cycles. They are
    /// read again when next touched.
    ///
    /// Objects with pending changes keep theirs, as the next save needs them: save or roll back
    /// first. The same holds for objects that cannot be read.
    public func dissolveAllRelationships() {
        if backgroundSave != nil { endBackgroundSave() }
        for case let storedClass? in classesByNumber {
            storedClass.forEachObject { object in
                guard object.state.isDisjoint(with: [.fault, .unreadable]), !object.state.isPending
                else { return }
                withoutNotice(of: object) { object.dissolveAllRelationships() }
                if object.state.contains(.saved) { object.state.formUnion(.fault) }
            }
        }
    }
}
