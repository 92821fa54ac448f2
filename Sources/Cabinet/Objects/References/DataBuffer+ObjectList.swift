import CabinetBackend

/// Lists of references that stay rows until they are touched.
extension DataBuffer {
    /// Appends a count and the rows in order: the bytes of ``writeReferences(_:to:)``. No objects
    /// are made for elements that are only rows. Errors as with ``writeReference(_:to:)``.
    public final func writeReferenceList<Object: StoredObject>(
        _ list: ObjectList<Object>, to type: Object.Type = Object.self
    ) {
        noteOwnReference()
        guard let slots = list.slots, slots.count > 0 else { return writeUInt32(0) }
        writeSlots(slots, of: type)
    }

    /// Not generic: a step through a list of any class takes a thousand instructions.
    @inline(never)
    private final func writeSlots(_ slots: ObjectSlots, of type: StoredObject.Type) {
        // Rows of another class or store are a mistake, which their objects show.
        if let storedClass = slots.storedClass, !isOwn(storedClass, type) { slots.makeAll() }
        let start = count
        writeUInt32(UInt32(truncatingIfNeeded: slots.count))
        let found = slots.storedClass?.context ?? writingContext(slots.object(at: 0))
        guard let context = found else { return }
        if self.context == nil { self.context = context }
        guard let storedClass = slots.storedClass ?? context.storedClass(of: type) else {
            for index in 0..<slots.count {
                writeOutsider(slots.object(at: index), type, context)
            }
            return
        }
        var written: UInt32 = 0
        let keepsDeleted = image != nil || context.keepsGone
        for index in 0..<slots.count {
            if let row = slots.row(at: index) {
                if !keepsDeleted, isDeleted(row, storedClass) { continue }
                writeUInt32(row.rawValue)
                note(row, in: storedClass)
            } else {
                let object = slots.object(at: index)
                guard isNextToWrite(object, storedClass, context) else { continue }
                writeRow(object, storedClass)
            }
            written += 1
        }
        if Int(written) != slots.count { patchUInt32(written, at: start) }
    }

    /// Whether rows of `storedClass` may be written to this buffer as `type`.
    private final func isOwn(_ storedClass: StoredClass, _ type: StoredObject.Type) -> Bool {
        !storedClass.isReleased && storedClass.type == type
            && (context == nil || context === storedClass.context)
    }

    private final func isDeleted(_ row: RowID, _ storedClass: StoredClass) -> Bool {
        storedClass.existing(row)?.state.contains(.deleted) ?? storedClass.isGone(row)
    }

    /// Reads the objects in order, as rows, without those whose row is known to be gone.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``,
    ///   ``DataBufferError/impossibleCount(count:remaining:)`` or
    ///   ``StoreError/classNotRegistered(_:)``, without moving.
    public final func readReferenceList<Object: StoredObject>(
        to type: Object.Type = Object.self
    ) throws -> ObjectList<Object> {
        let context = try readingContext()
        noteOwnReference()
        guard image == nil, let storedClass = context.storedClass(of: type)
        else {
            return ObjectList(try readReferences(to: type))
        }
        return ObjectList(try readSlots(storedClass))
    }

    private final func readSlots(_ storedClass: StoredClass) throws -> ObjectSlots? {
        let count = try readCount(elementSize: 4)
        guard count > 0 else { return nil }
        let slots = ObjectSlots(capacity: count)
        // A row is known to be gone only by a deleted object in memory or by `goneRows`.
        let isKnown =
            (storedClass.liveObjects > 0 || !storedClass.goneRows.isEmpty)
            && !storedClass.context.keepsGone
        for _ in 0..<count {
            let row = RowID(try readUInt32())
            if isNoRow(row) || isKnown && isKnownGone(row, storedClass) { continue }
            slots.append(row, of: storedClass)
        }
        storedClass.context.readAhead?.note(slots, of: storedClass)
        return slots
    }

    private final func isKnownGone(_ row: RowID, _ storedClass: StoredClass) -> Bool {
        guard let object = storedClass.existing(row) else { return storedClass.isGone(row) }
        return object.state.contains(.deleted) && !object.state.contains(.saved)
    }
}
