import CabinetBackend

enum OperationAttempt {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var reader = OperationReader(bytes)
        var before = 0
        while let operation = reader.next() {
            precondition(reader.offset > before && reader.offset <= bytes.count)
            before = reader.offset
            touch(operation)
        }
        precondition(reader.isDamaged == (reader.offset < bytes.count))
        precondition(reader.offset == before, "The reader stands inside of an operation")
    }

    /// Reads every byte that an operation points to: the address sanitizer sees what is wrong.
    static func touch(_ operation: Operation) {
        switch operation {
        case .putRow(_, _, let stored):
            precondition(stored.count >= Operation.checksumSize)
            consume(stored)
        case .putKey(_, let key, let stored):
            precondition(stored.count >= Operation.checksumSize)
            consume(key)
            consume(stored)
        case .deleteKey(_, let key): consume(key)
        case .define(let definition): precondition(definition.name.utf8.count <= 65_535)
        case .note(_, let bytes): consume(bytes)
        case .unknown(let kind, _, let bytes):
            precondition(kind >= Operation.firstSkippable)
            consume(bytes)
        case .deleteRow, .drop: break
        }
    }

    @inline(never)
    static func consume(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.reduce(0 as UInt8, ^) <= .max)
    }
}
