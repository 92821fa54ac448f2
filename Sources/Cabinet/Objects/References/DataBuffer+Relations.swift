import CSystem
import CabinetBackend

/// The bytes of declared relationships: a tag, and references in one of two forms.
///
/// | | tag 0: exactly the declared class | tag 1: any class among its subclasses |
/// |---|---|---|
/// | to one | row (0: none) | class number, row |
/// | to many | count, rows | count, class number and row each |
extension DataBuffer {
    private static let exactClass: UInt8 = 0
    private static let anyClass: UInt8 = 1

    /// Appends a relationship to one object. One that is in no store is inserted first.
    /// - Parameter keepingGone: whether a deleted object is written if it ever had a record.
    final func writeRelated(
        _ object: StoredObject?, of target: StoredClass?, keepingGone: Bool
    ) {
        if let object {
            takeIn(object)
            if object.storedClass !== target || image != nil {
                writeUInt8(Self.anyClass)
                return writeNamed(object, keepingGone: keepingGone)
            }
        }
        writeUInt8(Self.exactClass)
        guard let object, let target, let context = writingContext(object),
            isNextToWrite(object, target, context, keepingGone: keepingGone)
        else { return writeUInt32(0) }
        writeRow(object, target)
    }

    final func writeNothingRelated() {
        writeUInt8(Self.exactClass)
        writeUInt32(0)
    }

    /// Moves past a relationship to one without a target, written as most are; else `false`.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, and does not move.
    final func readNothingRelated() throws(DataBufferError) -> Bool {
        let start = position
        if try readUInt8() == Self.exactClass, try readUInt32() == 0 { return true }
        move(to: start)
        return false
    }

    /// Appends a relationship to many objects. Those that are in no store are inserted first.
    final func writeRelated(
        _ objects: [StoredObject], of target: StoredClass?, keepingGone: Bool
    ) {
        if let image, let context {
            return writeReferences(
                objects, in: image, unsafeDowncast(context, to: ObjectContext.self))
        }
        guard takeIn(objects, of: target) else {
            writeUInt8(Self.anyClass)
            return writeNamed(objects, keepingGone: keepingGone)
        }
        writeUInt8(Self.exactClass)
        let start = count
        writeUInt32(UInt32(truncatingIfNeeded: objects.count))
        guard let first = objects.first, let target, let context = writingContext(first) else {
            return
        }
        var written: UInt32 = 0
        objects.forEachHeld { object in
            guard isNextToWrite(object, target, context, keepingGone: keepingGone) else { return }
            writeRow(object, target)
            written += 1
        }
        if Int(written) != objects.count { patchUInt32(written, at: start) }
    }

    /// Inserts those that are in no store. Whether all are of `target` then. This is the first look
    /// at them: objects of a long list lie anywhere in memory.
    private final func takeIn(_ objects: [StoredObject], of target: StoredClass?) -> Bool {
        let ahead = 12
        var isExact = true
        let expected = target.map(Unmanaged.passUnretained)?.toOpaque()
        objects.withUnsafeBufferPointer { all in
            guard let first = all.baseAddress else { return }
            let held = UnsafeRawPointer(first).assumingMemoryBound(
                to: Unmanaged<StoredObject>.self)
            for index in all.indices {
                if index &+ ahead < all.count {
                    cabinet_prefetch_to_read(held[index &+ ahead].toOpaque())
                }
                held[index]._withUnsafeGuaranteedRef { object in
                    if let known = object.classReference, known.toOpaque() == expected { return }
                    takeIn(object)
                    if object.storedClass !== target { isExact = false }
                }
            }
        }
        return isExact
    }

    /// Appends all of `objects` for an image, whose references are of any class.
    private final func writeReferences(
        _ objects: [StoredObject], in image: ImageReferences, _ context: ObjectContext
    ) {
        writeUInt8(Self.anyClass)
        writeUInt32(UInt32(truncatingIfNeeded: objects.count))
        objects.forEachHeld { object in
            let number = object.classReference?._withUnsafeGuaranteedRef { storedClass in
                storedClass.withContext { $0 === context } ? storedClass.number : nil
            }
            if let number = number ?? nil {
                writeUInt8(number)
                writeUInt32(object.rowID.rawValue)
            } else {
                writeUInt8(0)
                writePlace(of: object, in: image)
            }
        }
    }

    /// Reads what ``writeRelated(_:of:keepingGone:)-(StoredObject?,_,_)`` wrote for a relationship whose
    /// declared class was `target`. `relation` says what may come out; `nil` for a former relationship,
    /// where objects that are gone do not.
    final func readRelated(
        of target: StoredClass?, by relation: RelationCoder?
    ) throws -> StoredObject? {
        let context = try readingContext()
        let storedClass: StoredClass
        if try readUInt8() == Self.exactClass {
            guard let target else {
                if try readUInt32() == 0 { return nil }
                throw Self.unregisteredTarget(relation)
            }
            storedClass = target
        } else {
            let number = try readUInt8()
            if try peekRow() == 0 {
                _ = try readUInt32()
                return nil
            }
            guard let named = context.classesByNumber[Int(number)] else {
                return try readOutsider(number, context)
            }
            storedClass = named
        }
        return try readObject(storedClass, context, by: relation)
    }

    @inline(__always)
    private final func readObject(
        _ storedClass: StoredClass, _ context: ObjectContext, by relation: RelationCoder?
    ) throws -> StoredObject? {
        let isLoose = relation?.isLoose ?? true
        guard
            let object = isLoose
                ? try readLooseObject(storedClass, context)
                : try readObject(storedClass, context)
        else { return nil }
        guard let relation else { return object.state.contains(.deleted) ? nil : object }
        try relation.check(object.storedClass ?? storedClass)
        return object
    }

    /// Reads what ``writeRelated(_:of:keepingGone:)-([StoredObject],_,_)`` wrote, likewise.
    final func readAllRelated(
        of target: StoredClass?, by relation: RelationCoder?
    ) throws -> [StoredObject] {
        let context = try readingContext()
        let isExact = try readUInt8() == Self.exactClass
        let count = try readCount(elementSize: isExact ? 4 : 5)
        guard count > 0 else { return [] }
        if count == 1, !isExact {
            return try readNamed(context, by: relation).map { [$0] } ?? []
        }
        // Straight into the array's memory: appending would ask each time whether there is room.
        let found = try [StoredObject](unsafeUninitializedCapacity: count) { room, filled in
            guard let base = room.baseAddress else { return }
            func append(_ object: StoredObject) {
                (base + filled).initialize(to: object)
                filled += 1
            }
            if isExact {
                guard let target else { throw Self.unregisteredTarget(relation) }
                try relation?.check(target)
                for _ in 0..<count {
                    if let object = try readObject(target, context, by: relation) {
                        append(object)
                    }
                }
            } else {
                for _ in 0..<count {
                    if let object = try readNamed(context, by: relation) { append(object) }
                }
            }
        }
        context.readAhead?.note(found)
        return found
    }

    private final func readNamed(
        _ context: ObjectContext, by relation: RelationCoder?
    ) throws -> StoredObject? {
        let number = try readUInt8()
        guard let storedClass = context.classesByNumber[Int(number)] else {
            return try readOutsider(number, context)
        }
        return try readObject(storedClass, context, by: relation)
    }

    /// Likewise, for any relationship to the class of that number.
    final func readRelated(ofClass number: UInt8?) throws -> StoredObject? {
        try readRelated(of: try storedClass(number), by: nil)
    }

    final func readAllRelated(ofClass number: UInt8?) throws -> [StoredObject] {
        try readAllRelated(of: try storedClass(number), by: nil)
    }

    private final func storedClass(_ number: UInt8?) throws(StoreError) -> StoredClass? {
        guard let number else { return nil }
        return try readingContext().classesByNumber[Int(number)]
    }

    private static func unregisteredTarget(_ relation: RelationCoder?) -> StoreError {
        .classNotRegistered(relation?.targetType.storageName ?? "of an earlier relationship")
    }

    /// An object that is referred to by one in a store belongs there too.
    private final func takeIn(_ object: StoredObject) {
        guard object.storedClass == nil, !object.state.contains(.deleted), image == nil, let context
        else { return }
        unsafeDowncast(context, to: ObjectContext.self).takeInRelated(object)
    }

    private final func peekRow() throws(DataBufferError) -> UInt32 {
        let start = position
        let row = try readUInt32()
        move(to: start)
        return row
    }
}
