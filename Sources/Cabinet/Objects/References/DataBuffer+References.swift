import CabinetBackend

/// References to objects. Writing costs a few comparisons; reading costs no look-up in the store:
/// what is not in memory becomes a fault.
///
/// A buffer belongs to the store of the first object it refers to, until it is emptied. A buffer that
/// ``StoredObject/writeContent(to:)`` makes for itself has the form of records: the store does not
/// count its references as the object's, and undo may not bring them back. Write references to the
/// buffer that it is given.
extension DataBuffer {
    // MARK: One object

    /// Appends the row of an object of exactly class `type`; 0 for `nil` and for one that was
    /// deleted. 4 bytes.
    ///
    /// Kept in `writeError`, and thrown by the save: ``StoreError/notInserted(class:)``,
    /// ``StoreError/wrongStore(class:)``, ``StoreError/wrongClass(expected:found:)``,
    /// ``StoreError/classNotRegistered(_:)``.
    public final func writeReference<Object: StoredObject>(
        _ object: Object?, to type: Object.Type = Object.self
    ) {
        noteOwnReference()
        guard let object else { return writeUInt32(0) }
        guard let context = writingContext(object) else { return }
        guard let storedClass = context.storedClass(of: type) else {
            return writeOutsider(object, type, context)
        }
        if !isNextToWrite(object, storedClass, context) { return writeUInt32(0) }
        writeRow(object, storedClass)
    }

    /// Reads a reference to an object of exactly class `type`. `nil` if none was written or its
    /// row is known to be gone.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)`` or
    ///   ``StoreError/classNotRegistered(_:)``, without moving.
    public final func readReference<Object: StoredObject>(
        to type: Object.Type = Object.self
    ) throws -> Object? {
        let context = try readingContext()
        noteOwnReference()
        let object =
            if let storedClass = context.storedClass(of: type) {
                try readObject(storedClass, context)
            } else {
                try readOutsider(type)
            }
        return object.map { unsafeDowncast($0, to: Object.self) }
    }

    // MARK: Several objects

    /// Appends a count and the rows in order. Objects that were deleted are left out. Errors as
    /// with ``writeReference(_:to:)``.
    public final func writeReferences<Object: StoredObject>(
        _ objects: [Object], to type: Object.Type = Object.self
    ) {
        noteOwnReference()
        let start = count
        writeUInt32(UInt32(truncatingIfNeeded: objects.count))
        guard let first = objects.first, let context = writingContext(first) else { return }
        guard let storedClass = context.storedClass(of: type) else {
            for object in objects { writeOutsider(object, type, context) }
            return
        }
        var written: UInt32 = 0
        for object in objects where isNextToWrite(object, storedClass, context) {
            writeRow(object, storedClass)
            written += 1
        }
        if Int(written) != objects.count { patchUInt32(written, at: start) }
    }

    /// Reads the objects in order, without those whose row is known to be gone.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``,
    ///   ``DataBufferError/impossibleCount(count:remaining:)`` or
    ///   ``StoreError/classNotRegistered(_:)``, without moving.
    public final func readReferences<Object: StoredObject>(
        to type: Object.Type = Object.self
    ) throws -> [Object] {
        let context = try readingContext()
        noteOwnReference()
        let storedClass = context.storedClass(of: type)
        let start = position
        do {
            let objects =
                if let storedClass {
                    try readObjects(storedClass, context)
                } else {
                    try readOutsiders(type)
                }
            // All are of the class: a cast of each would take as long as reading it.
            return unsafeBitCast(objects, to: [Object].self)
        } catch {
            move(to: start)
            throw error
        }
    }

    // MARK: Any class

    /// Appends the class number (UInt8) and the row of an object of any registered class; twice 0
    /// for `nil` and for one that was deleted. 5 bytes. Errors as with ``writeReference(_:to:)``.
    public final func writeAnyReference(_ object: StoredObject?) {
        noteOwnReference()
        writeNamed(object)
    }

    /// As ``writeAnyReference(_:)``, also for relationships.
    final func writeNamed(_ object: StoredObject?, keepingGone: Bool = false) {
        guard let object else { return writeNoReference() }
        guard let context = writingContext(object) else { return }
        guard let storedClass = object.storedClass, storedClass.context === context else {
            writeUInt8(0)
            return writeOutsider(object, Swift.type(of: object), context)
        }
        guard isNextToWrite(object, storedClass, context, keepingGone: keepingGone) else {
            return writeNoReference()
        }
        writeUInt8(storedClass.number)
        writeRow(object, storedClass)
    }

    /// Reads a reference of any class. `nil` if none was written or its row is known to be gone.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)`` or
    ///   ``StoreError/classNotRegistered(_:)``, without moving.
    public final func readAnyReference() throws -> StoredObject? {
        let context = try readingContext()
        noteOwnReference()
        let start = position
        do {
            let number = try readUInt8()
            if let storedClass = context.classesByNumber[Int(number)] {
                return try readObject(storedClass, context)
            }
            return try readOutsider(number, context)
        } catch {
            move(to: start)
            throw error
        }
    }

    /// Appends a count and references of any class in order, without objects that were deleted.
    /// Errors as with ``writeReference(_:to:)``.
    public final func writeAnyReferences(_ objects: [StoredObject]) {
        noteOwnReference()
        writeNamed(objects)
    }

    /// As ``writeAnyReferences(_:)``, also for relationships.
    final func writeNamed(_ objects: [StoredObject], keepingGone: Bool = false) {
        let start = count
        writeUInt32(UInt32(truncatingIfNeeded: objects.count))
        var written: UInt32 = 0
        for object in objects {
            let before = count
            writeNamed(object, keepingGone: keepingGone)
            // Five bytes of nothing stand for a deleted object: take them back.
            if isNoReference(from: before) { takeBack(to: before) } else { written += 1 }
        }
        if Int(written) != objects.count { patchUInt32(written, at: start) }
    }

    /// Reads references of any class in order, without those whose row is known to be gone.
    /// - Throws: as ``readAnyReference()`` and ``readReferences(to:)``, without moving.
    public final func readAnyReferences() throws -> [StoredObject] {
        let start = position
        noteOwnReference()
        do {
            let count = try readCount(elementSize: 5)
            var objects: [StoredObject] = []
            objects.reserveCapacity(count)
            for _ in 0..<count {
                if let object = try readAnyReference() { objects.append(object) }
            }
            return objects
        } catch {
            move(to: start)
            throw error
        }
    }
}
