import CabinetBackend

/// Where a record's version is kept.
public enum Versioning: String, Hashable, Sendable {
    /// In the first byte of each record, so that versions live side by side.
    case perInstance
    /// Once for the whole class: the form of directories that were written without version bytes.
    /// All records of a class are rewritten by the first save of a newer version.
    case perClass
}

/// How an object becomes a record, and back: the only code that knows the version byte.
struct RecordCodec {
    let versioning: Versioning

    /// Appends the record of `object` to the batch.
    /// - Throws: ``StoreError`` for content that cannot be written, ``BackendError`` for a batch
    ///   that cannot go on. The record is not in the batch then.
    @inline(__always)
    func write(
        _ object: StoredObject, of storedClass: StoredClass, to batch: WriteBatch
    ) throws {
        try begin(object, of: storedClass, in: batch)
        try batch.endRecord()
    }

    /// The same, and calls `body` with the record before it is in.
    @inline(__always)
    func write(
        _ object: StoredObject, of storedClass: StoredClass, to batch: WriteBatch,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) throws {
        try begin(object, of: storedClass, in: batch)
        batch.arena.withUnsafeBytes(body)
        try batch.endRecord()
    }

    @inline(__always)
    private func begin(
        _ object: StoredObject, of storedClass: StoredClass, in batch: WriteBatch
    ) throws {
        batch.openRecord(object.rowID, in: storedClass.table)
        let buffer = batch.arena
        if versioning == .perInstance { writeVersion(of: storedClass, to: buffer) }
        storedClass.withContext { buffer.setContext($0) }
        storedClass.write(object, to: buffer)
        if let error = buffer.writeError {
            batch.cancelRecord()
            throw Self.describe(error, of: object, storedClass)
        }
    }

    func version(of record: UnsafeRawBufferPointer, in storedClass: StoredClass) -> UInt8? {
        guard versioning == .perInstance else {
            return storedClass.definition?.classVersion ?? storedClass.version
        }
        guard let layouts = storedClass.layouts else { return record.first }
        return number(of: record).flatMap { layouts.version(of: $0) }
    }

    func isOld(_ record: UnsafeRawBufferPointer, in storedClass: StoredClass) -> Bool {
        if versioning == .perInstance, let layouts = storedClass.layouts {
            return number(of: record).map { layouts.isEarlier($0) } ?? true
        }
        return version(of: record, in: storedClass).map { $0 < storedClass.version } ?? false
    }

    /// The number of a record's layout: its first byte, or what stands behind one of 255.
    func number(of record: UnsafeRawBufferPointer) -> UInt16? {
        guard let first = record.first else { return nil }
        if first != RecordLayouts.escape { return UInt16(first) }
        guard record.count >= 3 else { return nil }
        return UInt16(littleEndian: record.loadUnaligned(fromByteOffset: 1, as: UInt16.self))
    }

    /// Where the fields of a record begin that would be written the same today; else `nil`.
    func contentOffset(of record: UnsafeRawBufferPointer, in storedClass: StoredClass) -> Int? {
        guard versioning == .perInstance, storedClass.isDeclared,
            let layouts = storedClass.layouts, !layouts.isUnsaved,
            number(of: record) == layouts.current
        else { return nil }
        return record.first == RecordLayouts.escape ? 3 : 1
    }

    @inline(__always)
    private func writeVersion(of storedClass: StoredClass, to buffer: DataBuffer) {
        guard let layouts = storedClass.layouts else {
            return buffer.writeUInt8(storedClass.version)
        }
        buffer.writeUInt8(layouts.currentByte)
        if layouts.currentByte == RecordLayouts.escape { buffer.writeUInt16(layouts.current) }
    }

    /// Reads the version and what follows, as the layout says that wrote it.
    @inline(__always)
    private func readContent(
        _ buffer: DataBuffer, into object: StoredObject, of storedClass: StoredClass
    ) throws {
        guard versioning == .perInstance, let layouts = storedClass.layoutsReference else {
            buffer.versionOfData = try takeVersion(buffer, storedClass, object.rowID)
            return try storedClass.read(into: object, from: buffer)
        }
        var number = UInt16(try buffer.readUInt8())
        if number == UInt16(RecordLayouts.escape) { number = try buffer.readUInt16() }
        buffer.setOrigin(buffer.position)
        let isCurrent = layouts._withUnsafeGuaranteedRef {
            number == $0.current && !$0.isUnsaved
        }
        if isCurrent {
            buffer.versionOfData = storedClass.version
            guard storedClass.countsReferences, storedClass.isDeclared else {
                return try storedClass.read(into: object, from: buffer)
            }
            try readFollowed(buffer, into: object, of: storedClass)
        } else {
            try layouts.takeUnretainedValue().read(number, into: object, from: buffer)
        }
    }

    /// Reads a record of the present layout, and notes whether the object refers to all that it does.
    @inline(__always)
    private func readFollowed(
        _ buffer: DataBuffer, into object: StoredObject, of storedClass: StoredClass
    ) throws {
        try storedClass.withContext { context in
            let known = context.referenceTrust.oddReads
            try storedClass.fields.read(into: object, from: buffer)
            guard context.referenceTrust.oddReads == known, object.classReference != nil else {
                return
            }
            object.state.formUnion(.refersAsSaved)
        }
    }

    /// Reads `record` into `object` through `buffer`, which borrows it. On a throw its content is a
    /// new object's.
    func read(
        _ record: UnsafeRawBufferPointer, into object: StoredObject, of storedClass: StoredClass,
        by buffer: DataBuffer
    ) throws {
        buffer.borrow(record)
        storedClass.withContext { buffer.setContext($0) }
        do {
            try storedClass.withContext { context in
                try context.withoutNotice(of: object) {
                    try readContent(buffer, into: object, of: storedClass)
                }
            }
        } catch {
            storedClass.context.blank(object)
            throw Self.describeRead(error, storedClass, object.rowID)
        }
    }

    @inline(__always)
    private func takeVersion(
        _ buffer: DataBuffer, _ storedClass: StoredClass, _ row: RowID
    ) throws -> UInt8 {
        let version: UInt8
        switch versioning {
        case .perInstance:
            version = try buffer.readUInt8()
            buffer.setOrigin(1)
        case .perClass:
            version = storedClass.definition?.classVersion ?? storedClass.version
        }
        if version > storedClass.version {
            throw StoreError.newerVersion(
                class: storedClass.name, row: row, found: version, known: storedClass.version)
        }
        return version
    }

    /// What a save throws for a write that could not be done.
    private static func describe(
        _ error: any Error, of object: StoredObject, _ storedClass: StoredClass
    ) -> any Error {
        let (name, row) = (storedClass.name, object.rowID)
        switch error {
        case let reason as DataBufferError:
            return StoreError.cannotWrite(class: name, row: row, reason: reason)
        case let reason as StoreError:
            guard let isReason = refusal(reason, storedClass) else { return error }
            let field = storedClass.fields.relations.first {
                object.objects(in: $0).contains(where: isReason)
            }
            return StoreError.badReference(
                class: name, row: row, field: field?.name ?? "", reason: reason)
        default: return error
        }
    }

    /// Whether a reference to an object was refused for that reason; `nil` for other reasons.
    private static func refusal(
        _ reason: StoreError, _ storedClass: StoredClass
    ) -> ((StoredObject) -> Bool)? {
        switch reason {
        case .notInserted: { $0.storedClass == nil && !$0.state.contains(.deleted) }
        case .wrongStore(let name):
            {
                guard let other = $0.storedClass else { return false }
                return other.context !== storedClass.context && other.name == name
            }
        case .wrongClass(_, let found): { $0.storedClass?.name == found }
        default: nil
        }
    }

    private static func describeRead(
        _ error: any Error, _ storedClass: StoredClass, _ row: RowID
    ) -> any Error {
        switch error {
        case let reason as DataBufferError:
            StoreError.cannotRead(class: storedClass.name, row: row, reason: reason)
        case is StoreError, is BackendError:
            error
        default:
            StoreError.refusedByClass(class: storedClass.name, row: row, reason: "\(error)")
        }
    }
}

extension ObjectContext {
    /// Lets `body` set properties of `object` by any means without that being taken for a change.
    @inline(__always)
    final func withoutNotice(of object: StoredObject, _ body: () throws -> Void) rethrows {
        let reportsChange = object.state.intersection(.reportsChange)
        object.state.subtract(.noticed)
        defer { object.state.formUnion(reportsChange) }
        try body()
    }

    /// Gives `object` the content of a new object of its class, by way of the new object's bytes.
    @inline(never)
    final func blank(_ object: StoredObject) {
        let buffer = DataBuffer()
        buffer.context = self
        buffer.versionOfData = type(of: object).version
        buffer.withMode(ImageReferences()) {
            writeContent(of: type(of: object).init(), to: buffer)
            // A class that cannot read what it has written itself keeps what it has.
            withoutNotice(of: object) { try? readContent(of: object, from: buffer) }
        }
    }
}
