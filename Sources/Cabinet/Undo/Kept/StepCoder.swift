import CabinetBackend

/// Steps of undo as bytes, which a later run of the program can read as long as its classes are the same.
///
/// UInt32 which changes of others it knows of, UInt32 length and text of the name, then the changes in their order: UInt8 kind (1 inserted, 2 updated,
/// 3 deleted), UInt8 class number, UInt16 layout (65,535: written by hand), UInt8 class version, UInt32 row,
/// UInt8 form. Form 0: no more; 1: an image of all fields, 2: of those that are no lists: UInt8 version, UInt32
/// length, bytes; 3: parts of a list: UInt16 field, UInt32 count of parts, for each UInt32 place, and twice
/// UInt32 count and UInt64 class number and row, of what went and of what came.
struct StepCoder {
    unowned let store: Store

    init(_ store: Store) { self.store = store }

    // MARK: Writing

    /// `nil` for a step that a later run could not take back: it refers to objects that were never in the
    /// store, or lacks a content.
    /// - Parameter batch: what is saved with it.
    func bytes(of step: UndoSteps.Step, in batch: WriteBatch) -> [UInt8]? {
        let buffer = DataBuffer()
        buffer.writeUInt32(step.log.serial)
        buffer.writeString(step.name)
        for index in 0..<step.log.count {
            guard step.log.withEntry(at: index, { write($0, batch, to: buffer) }) else {
                return nil
            }
        }
        guard buffer.writeError == nil else { return nil }
        return buffer.withUnsafeBytes { [UInt8]($0) }
    }

    private func write(
        _ entry: UnsafePointer<ChangeLog.Entry>, _ batch: WriteBatch, to buffer: DataBuffer
    ) -> Bool {
        let storedClass = entry.pointee.storedClass
        guard
            storedClass.definition != nil
                || batch.definitions.contains(where: { $0.number == storedClass.table })
        else { return false }
        buffer.writeUInt8(entry.pointee.kind.code)
        buffer.writeUInt8(storedClass.number)
        buffer.writeUInt16(Self.layout(of: storedClass))
        buffer.writeUInt8(storedClass.version)
        buffer.writeUInt32(entry.pointee.row.rawValue)
        if entry.pointee.list.isThere { return write(entry.pointee.list, storedClass, to: buffer) }
        guard let image = entry.pointee.image else {
            buffer.writeUInt8(0)
            return entry.pointee.kind != .deleted
        }
        guard image.failure == nil, image.objects.isEmpty else { return false }
        buffer.writeUInt8(image.isWhole ? 1 : 2)
        write(image, to: buffer)
        return true
    }

    func write(_ image: ContentImage, to buffer: DataBuffer) {
        let content = DataBuffer()
        image.write(to: content)
        buffer.writeUInt8(image.version)
        buffer.writeBytes(content.withUnsafeBytes { [UInt8]($0) })
    }

    private func write(
        _ list: borrowing ListEdit, _ storedClass: StoredClass, to buffer: DataBuffer
    ) -> Bool {
        let relation = list.relation
        guard let field = storedClass.fields.entries.firstIndex(where: { $0.coder === relation })
        else { return false }
        let parts = list.parts
        buffer.writeUInt8(3)
        buffer.writeUInt16(UInt16(field))
        buffer.writeUInt32(UInt32(parts.count))
        for part in parts {
            buffer.writeUInt32(UInt32(part.start))
            for references in [part.removed, part.inserted] {
                let words = references.words
                if words.contains(ObjectReferences.outsider) { return false }
                buffer.writeUInt32(UInt32(words.count))
                for word in words { buffer.writeUInt64(word) }
            }
        }
        return true
    }

    static func layout(of storedClass: StoredClass) -> UInt16 {
        storedClass.layouts?.current ?? .max
    }

    // MARK: Reading

    /// `nil` for bytes that cannot be understood, or not any more as the classes have changed.
    func step(_ bytes: UnsafeRawBufferPointer) -> UndoSteps.Step? {
        let buffer = DataBuffer()
        buffer.writeRawBytes(bytes)
        do {
            let log = ChangeLog.make(isUndoable: true, serial: try buffer.readUInt32())
            let name = try buffer.readString()
            while buffer.remaining > 0 {
                guard try read(buffer, into: log) else { return nil }
            }
            return UndoSteps.Step(name: name, log: log)
        } catch { return nil }
    }

    private func read(
        _ buffer: DataBuffer, into log: ChangeLog
    ) throws(DataBufferError) -> Bool {
        let (code, number) = (try buffer.readUInt8(), try buffer.readUInt8())
        let (layout, version) = (try buffer.readUInt16(), try buffer.readUInt8())
        let row = RowID(try buffer.readUInt32())
        guard let kind = ChangeLog.Entry.Kind(code: code),
            let storedClass = store.classesByNumber[Int(number)],
            Self.layout(of: storedClass) == layout, storedClass.version == version
        else { return false }
        var image: ContentImage?
        switch try buffer.readUInt8() {
        case 0: guard kind != .deleted else { return false }
        case 1: image = try readImage(buffer, isWhole: true)
        case 2: image = try readImage(buffer, isWhole: false)
        case 3:
            guard kind == .updated, let list = try readList(buffer, storedClass) else {
                return false
            }
            log.append(list, of: .passUnretained(storedClass), row, priorState: .saved)
            return true
        default: return false
        }
        // It may lead to objects of a class that this run does not have.
        if let image, (try? store.copy(of: image, as: storedClass)) == nil { return false }
        log.append(
            .init(
                kind: kind, storedClass: storedClass, row: row, priorState: .saved, image: image,
                object: nil))
        return true
    }

    func readImage(
        _ buffer: DataBuffer, isWhole: Bool
    ) throws(DataBufferError) -> ContentImage {
        let (version, bytes) = (try buffer.readUInt8(), try buffer.readBytes())
        return bytes.withUnsafeBytes {
            .make($0, isWhole: isWhole, version: version, objects: [], failure: nil)
        }
    }

    private func readList(
        _ buffer: DataBuffer, _ storedClass: StoredClass
    ) throws(DataBufferError) -> ListEdit? {
        let (field, count) = (Int(try buffer.readUInt16()), try buffer.readUInt32())
        let entries = storedClass.fields.entries
        guard field < entries.count, let relation = entries[field].coder as? ManyCoder else {
            return nil
        }
        var parts: [ListEdit.Part] = []
        for _ in 0..<count {
            let start = Int(try buffer.readUInt32())
            guard let removed = try readReferences(buffer),
                let inserted = try readReferences(buffer)
            else { return nil }
            parts.append(ListEdit.Part(start: start, removed: removed, inserted: inserted))
        }
        return ListEdit(parts, of: relation)
    }

    /// `nil` if a reference leads to a class that this run does not have.
    private func readReferences(
        _ buffer: DataBuffer
    ) throws(DataBufferError) -> ObjectReferences? {
        var words: [UInt64] = []
        for _ in 0..<(try buffer.readUInt32()) {
            let word = try buffer.readUInt64()
            guard let number = UInt8(exactly: word >> 32),
                store.classesByNumber[Int(number)] != nil
            else { return nil }
            words.append(word)
        }
        return ObjectReferences(words: words, outsiders: [])
    }
}

extension ChangeLog.Entry.Kind {
    fileprivate var code: UInt8 {
        switch self {
        case .inserted: 1
        case .updated: 2
        case .deleted: 3
        }
    }

    fileprivate init?(code: UInt8) {
        switch code {
        case 1: self = .inserted
        case 2: self = .updated
        case 3: self = .deleted
        default: return nil
        }
    }
}
