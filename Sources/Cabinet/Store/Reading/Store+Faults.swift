import CabinetBackend

extension Store {
    /// Reads the content of a fault that was touched. A failure is kept on the object and reported.
    func fetchContent(of object: StoredObject) {
        guard let storedClass = object.storedClass else { return readFault(object) }
        countFault(of: storedClass)
        guard hasDelegate else { return readFault(object) }
        let start = storedClass.reads.now()
        readFault(object)
        let wait = storedClass.reads.now() - start
        guard wait > Self.longestWait else { return }
        tellDelegate {
            $0.store(
                self, didWait: wait, toRead: object, advice: waysToPrefetch(storedClass))
        }
    }

    /// Of longer ones the delegate is told.
    private static var longestWait: Duration { .milliseconds(50) }

    func readFault(_ object: StoredObject) {
        do { try readContent(of: object) } catch { noteFailure(of: object, error) }
    }

    private func readContent(of object: StoredObject) throws {
        guard let storedClass = object.storedClass else { return }
        try withBuffer { buffer in
            do {
                guard try readRecord(ofTouched: object.rowID, of: storedClass, into: buffer) else {
                    throw StoreError.rowGone(class: storedClass.name, row: object.rowID)
                }
            } catch {
                // It may have had content before a rollback.
                blank(object)
                throw error
            }
            try withBuffer { reader in
                try buffer.withUnsafeBytes { (record) throws in
                    try codec.read(record, into: object, of: storedClass, by: reader)
                }
            }
        }
        noteSuccess(of: object, storedClass)
    }

    private func noteSuccess(of object: StoredObject, _ storedClass: StoredClass) {
        if object.state.contains(.unreadable) { storedClass.fetchErrors[object.rowID] = nil }
        object.state.subtract([.fault, .unreadable])
    }

    private func noteFailure(of object: StoredObject, _ error: any Error) {
        guard let storedClass = object.storedClass else { return }
        object.state.subtract(.fault)
        object.state.formUnion(.unreadable)
        storedClass.fetchErrors[object.rowID] = error
        if case StoreError.rowGone = error {
            changes.set(object, of: storedClass, to: [.unreadable, .deleted])
            object.state.formUnion(.buried)
            for notice in notices(among: [object]) {
                observed.tell(notice, [.standing, .existence])
            }
        }
        log(.warning, "\(error)")
        tellDelegate { $0.store(self, didFailToFetch: object, error: error) }
    }

    /// A field could not be decoded: its record keeps the bytes, so the object can be saved.
    func keepUndecodable(_ object: StoredObject, _ error: any Error) {
        object.storedClass?.fetchErrors[object.rowID] = error
        log(.warning, "\(error)")
        tellDelegate { $0.store(self, didFailToFetch: object, error: error) }
    }

    /// Takes a record that a walk has met into the object of its row: a fault's content is read, an
    /// object in memory stays as it is. `nil` if the object was deleted.
    @inline(__always)
    func meet(
        _ record: UnsafeRawBufferPointer, at row: RowID, of storedClass: StoredClass,
        by reader: DataBuffer
    ) throws -> StoredObject? {
        let object: StoredObject
        if let existing = storedClass.existing(row) {
            if existing.state.contains(.deleted) { return nil }
            if existing.state.isDisjoint(with: [.fault, .unreadable]) { return existing }
            object = existing
        } else {
            object = storedClass.makeObject(at: row)
        }
        do {
            // It is held here: no need to count another reference for each of a million.
            try Unmanaged.passUnretained(object)._withUnsafeGuaranteedRef {
                try codec.read(record, into: $0, of: storedClass, by: reader)
            }
        } catch {
            noteFailure(of: object, error)
            throw error
        }
        noteSuccess(of: object, storedClass)
        return object
    }

    /// An object outside the store with the content of a record whose own object has changed.
    func copy(
        of record: UnsafeRawBufferPointer, at row: RowID, of storedClass: StoredClass,
        by reader: DataBuffer
    ) throws -> StoredObject {
        let copy = storedClass.type.init()
        copy.rowID = row
        try codec.read(record, into: copy, of: storedClass, by: reader)
        return copy
    }

    /// As ``copy(of:at:of:by:)``, for its references: undecodable values are passed over.
    func copyForReferences(
        of record: UnsafeRawBufferPointer, at row: RowID, of storedClass: StoredClass,
        by reader: DataBuffer
    ) throws -> StoredObject {
        try reader.withMode(ReferencesOnly()) {
            try copy(of: record, at: row, of: storedClass, by: reader)
        }
    }

    /// The objects in `relation` of what is saved of an object; none if nothing is.
    func savedObjects(
        of storedClass: StoredClass, _ row: RowID, in relation: RelationCoder
    ) throws -> [StoredObject] {
        try withBuffer { record in
            guard try readRecord(row, of: storedClass, into: record) else { return [] }
            return try withBuffer { reader in
                try record.withUnsafeBytes { bytes throws in
                    try copyForReferences(of: bytes, at: row, of: storedClass, by: reader)
                        .objects(in: relation)
                }
            }
        }
    }

    /// Reads the content of `object` now if that has not happened yet, or had failed.
    func load(_ object: StoredObject) throws {
        guard let storedClass = object.storedClass else { return }
        guard !object.state.isDisjoint(with: [.fault, .unreadable]) else { return }
        if object.state.contains(.deleted), let error = storedClass.fetchErrors[object.rowID] {
            throw error
        }
        countFault(of: storedClass)
        do {
            try readContent(of: object)
        } catch {
            noteFailure(of: object, error)
            throw error
        }
    }
}
