import CabinetBackend

// For what has none of the classes that steps are about.
extension KeptSteps {
    /// Has a batch remove what all authors' steps have of the object in a row: a step that is about it goes with
    /// those before it, as they can be taken back only after it.
    static func forget(
        _ row: RowID, ofClass number: UInt8, _ reader: any BackendReader, _ batch: WriteBatch
    ) throws(BackendError) {
        let tables = try reader.tables()
        guard let table = tables.first(where: { $0.name == tableName })?.number else { return }
        let object = UInt64(number) << 32 | UInt64(row.rawValue)
        let cursor = try reader.entries(in: table, range: .everything, descending: false)
        let run = EntryRun(capacity: 4096)
        // Those of one list stand together, in their order.
        var (list, steps): ([UInt8], [[UInt8]]) = ([], [])
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                guard let (kind, number) = read(key) else { continue }
                if kind == 2 {
                    if number == object { try batch.deleteKey(key, in: table) }
                    continue
                }
                if !list.elementsEqual(key.dropLast(8)) {
                    (list, steps) = ([UInt8](key.dropLast(8)), [])
                }
                steps.append([UInt8](key))
                guard StepCoder.mayMention(object, value) else { continue }
                for step in steps {
                    try step.withUnsafeBytesThrowing { key throws(BackendError) in
                        try batch.deleteKey(key, in: table)
                    }
                }
                steps = []
            }
        }
    }

    /// What a key is of: a list or objects, and the number in it.
    private static func read(_ key: UnsafeRawBufferPointer) -> (kind: UInt8, number: UInt64)? {
        guard key.count >= 11 else { return nil }
        let author = Int(UInt16(bigEndian: key.loadUnaligned(as: UInt16.self)))
        guard key.count == author + 11 else { return nil }
        let number = key.loadUnaligned(fromByteOffset: author + 3, as: UInt64.self)
        return (key[author + 2], UInt64(bigEndian: number))
    }
}

extension StepCoder {
    /// Whether a step is about an object, or cannot be understood.
    fileprivate static func mayMention(_ key: UInt64, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let buffer = DataBuffer()
        buffer.writeRawBytes(bytes)
        do {
            _ = (try buffer.readUInt32(), try buffer.readString())
            while buffer.remaining > 0 {
                _ = try buffer.readUInt8()
                let number = try buffer.readUInt8()
                _ = (try buffer.readUInt16(), try buffer.readUInt8())
                let row = try buffer.readUInt32()
                if UInt64(number) << 32 | UInt64(row) == key { return true }
                guard try passContent(buffer) else { return true }
            }
            return false
        } catch { return true }
    }

    private static func passContent(_ buffer: DataBuffer) throws(DataBufferError) -> Bool {
        switch try buffer.readUInt8() {
        case 0: return true
        case 1, 2: _ = (try buffer.readUInt8(), try buffer.readBytes())
        case 3:
            _ = try buffer.readUInt16()
            for _ in 0..<(try buffer.readUInt32()) {
                _ = try buffer.readUInt32()
                for _ in 0..<2 {
                    for _ in 0..<(try buffer.readUInt32()) { _ = try buffer.readUInt64() }
                }
            }
        default: return false
        }
        return true
    }
}
