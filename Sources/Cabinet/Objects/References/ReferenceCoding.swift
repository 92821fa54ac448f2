import CabinetBackend

extension DataBuffer {
    /// In images, the row of an object that is found by its index in the image's list instead.
    private static let rowOfImageObject = RowID.max

    /// Whether no record's object has `row`.
    final func isNoRow(_ row: RowID) -> Bool { row == .none || row == Self.rowOfImageObject }

    /// The store that the buffer is written for; of a user's buffer, its first object's store.
    @inline(__always)
    final func writingContext(_ object: StoredObject) -> ObjectContext? {
        if let context { return unsafeDowncast(context, to: ObjectContext.self) }
        guard let storedClass = object.storedClass else {
            fail(StoreError.notInserted(class: "\(type(of: object))"))
            return nil
        }
        context = storedClass.context
        return storedClass.context
    }

    /// A reference is read or written by a program's own code: it may stand in no relationship.
    @inline(__always)
    final func noteOwnReference() {
        guard let context else { return }
        let store = unsafeDowncast(context, to: ObjectContext.self)
        store.referenceTrust.noteOddRead()
        if mode != nil { referenceMode?.noteInexact() }
    }

    @inline(__always)
    final func readingContext() throws(StoreError) -> ObjectContext {
        guard let context else { throw .closed }
        return unsafeDowncast(context, to: ObjectContext.self)
    }

    /// Whether `object` is to be written as one of `storedClass`: not if it was deleted, and not if
    /// it is of another store or class or of none, which is kept as `writeError`.
    /// - Parameter keepingGone: whether the row of a deleted object is written if it ever had a record.
    @inline(__always)
    final func isNextToWrite(
        _ object: StoredObject, _ storedClass: StoredClass, _ context: ObjectContext,
        keepingGone: Bool = false
    ) -> Bool {
        if object.storedClass === storedClass {
            if !object.state.contains(.deleted) { return true }
            if keepingGone || context.keepsGone, image == nil, object.state.contains(.wasSaved) {
                storedClass.noteGone(object.rowID)
                return true
            }
        }
        return isOddButWritten(object, storedClass, context)
    }

    @inline(never)
    private final func isOddButWritten(
        _ object: StoredObject, _ storedClass: StoredClass, _ context: ObjectContext
    ) -> Bool {
        if image != nil { return true }
        referenceMode?.noteInexact()
        guard let actual = object.storedClass else {
            if !object.state.contains(.deleted) {
                fail(StoreError.notInserted(class: "\(type(of: object))"))
            }
            return false
        }
        if actual.context !== context {
            fail(StoreError.wrongStore(class: actual.name))
        } else if actual !== storedClass {
            fail(StoreError.wrongClass(expected: storedClass.name, found: actual.name))
        }
        return false
    }

    @inline(__always)
    final func writeRow(_ object: StoredObject, _ storedClass: StoredClass) {
        if object.storedClass !== storedClass, let image {
            return writePlace(of: object, in: image)
        }
        writeUInt32(object.rowID.rawValue)
        note(object.rowID, in: storedClass)
    }

    @inline(__always)
    final func note(_ row: RowID, in storedClass: StoredClass) {
        if mode != nil { noteInMode(row, storedClass) }
    }

    @inline(never)
    private final func noteInMode(_ row: RowID, _ storedClass: StoredClass) {
        referenceMode?.note(row, in: storedClass)
    }

    /// Writes a reference to an object that is found by its index among those of `image`.
    @inline(never)
    final func writePlace(of object: StoredObject, in image: ImageReferences) {
        writeUInt32(Self.rowOfImageObject.rawValue)
        writeUInt32(UInt32(image.objects.count))
        image.objects.append(object)
    }

    /// Writes an object in no store, or of an unknown class: a mistake, but an image keeps it.
    @inline(never)
    final func writeOutsider(
        _ object: StoredObject, _ type: StoredObject.Type, _ context: ObjectContext
    ) {
        if let image { return writePlace(of: object, in: image) }
        if context.storedClass(of: type) == nil {
            fail(StoreError.classNotRegistered(type.storageName))
        } else if let storedClass = object.storedClass {
            fail(StoreError.wrongStore(class: storedClass.name))
        } else {
            fail(StoreError.notInserted(class: "\(Swift.type(of: object))"))
        }
    }

    /// The object of the next row, or `nil` if there is none or it is known to be gone.
    @inline(__always)
    final func readObject(
        _ storedClass: StoredClass, _ context: ObjectContext
    ) throws(DataBufferError) -> StoredObject? {
        let row = RowID(try readUInt32())
        if let object = storedClass.existing(row) {
            let isGone = object.state.contains(.deleted) && !object.state.contains(.saved)
            guard isGone, image == nil, !context.keepsGone else { return object }
            context.referenceTrust.noteOddRead()
            return nil
        }
        if row == .none { return nil }
        if row == Self.rowOfImageObject { return try readImageObject(context) }
        if !storedClass.goneRows.isEmpty, storedClass.goneRows.contains(row) {
            if image != nil || context.keepsGone { return storedClass.makeDeletedObject(at: row) }
            context.referenceTrust.noteOddRead()
            return nil
        }
        return storedClass.makeObject(at: row)
    }

    /// The object of the next row in a loose relationship, perhaps deleted; `nil` for none.
    @inline(__always)
    final func readLooseObject(
        _ storedClass: StoredClass, _ context: ObjectContext
    ) throws(DataBufferError) -> StoredObject? {
        let row = RowID(try readUInt32())
        if let object = storedClass.existing(row) {
            if object.state.contains(.fault), !object.state.contains(.deleted),
                !context.hasRecord(row, of: storedClass)
            {
                // Something has referred to it that does not look whether it is there.
                context.fetch(object)
            }
            return object
        }
        if row == .none { return nil }
        if row == Self.rowOfImageObject { return try readImageObject(context) }
        if storedClass.isGone(row) || !context.hasRecord(row, of: storedClass) {
            return storedClass.makeDeletedObject(at: row)
        }
        return storedClass.makeObject(at: row)
    }

    /// A count and as many objects, without those that are none or gone. Not generic, and straight
    /// into the array's memory: 260 instructions an object for 400.
    @inline(never)
    final func readObjects(
        _ storedClass: StoredClass, _ context: ObjectContext
    ) throws -> [StoredObject] {
        let count = try readCount(elementSize: 4)
        // The one empty array that all threads share would be written to.
        guard count > 0 else { return [] }
        return try [StoredObject](unsafeUninitializedCapacity: count) { room, filled in
            guard let base = room.baseAddress else { return }
            for _ in 0..<count {
                guard let object = try readObject(storedClass, context) else { continue }
                (base + filled).initialize(to: object)
                filled += 1
            }
        }
    }

    @inline(never)
    final func readOutsiders(_ type: StoredObject.Type) throws -> [StoredObject] {
        let count = try readCount(elementSize: 4)
        var objects: [StoredObject] = []
        for _ in 0..<count {
            if let object = try readOutsider(type) { objects.append(object) }
        }
        return objects
    }

    /// The next object of a class that is not registered: none, or one that an image keeps.
    @inline(never)
    final func readOutsider(_ type: StoredObject.Type) throws -> StoredObject? {
        let start = position
        let row = RowID(try readUInt32())
        if row == .none { return nil }
        if image != nil { return try readImageObject() }
        move(to: start)
        throw StoreError.classNotRegistered(type.storageName)
    }

    /// The next object of a class that is not registered: none, or one that an image keeps.
    @inline(never)
    final func readOutsider(_ number: UInt8, _ context: ObjectContext) throws -> StoredObject? {
        if try readUInt32() == 0 { return nil }
        if image != nil { return try readImageObject() }
        _ = try context.registered(number: number)
        return nil
    }

    @inline(never)
    private final func readImageObject(
        _ context: ObjectContext? = nil
    ) throws(DataBufferError) -> StoredObject? {
        guard let image else {
            context?.referenceTrust.noteOddRead()
            return nil
        }
        let place = Int(try readUInt32())
        return place < image.objects.count ? image.objects[place] : nil
    }

    final func writeNoReference() {
        writeUInt8(0)
        writeUInt32(0)
    }

    /// Whether what was written since `place` is a reference to nothing.
    final func isNoReference(from place: Int) -> Bool {
        count == place + 5
            && withUnsafeBytes { bytes in
                bytes.loadUnaligned(fromByteOffset: place + 1, as: UInt32.self) == 0
            }
    }
}
