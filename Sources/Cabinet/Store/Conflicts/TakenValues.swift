import CabinetBackend

/// Values of fields that become what others have saved: of many objects, in one block of memory.
struct TakenValues {
    private struct Value {
        let object: StoredObject
        /// The object's class holds it.
        let coder: Unmanaged<FieldCoder>
        let offset: Int
        let version: UInt8
        let start: Int
        let end: Int
    }

    private var values: [Value] = []
    private var bytes: [UInt8] = []

    var isEmpty: Bool { values.isEmpty }
    var count: Int { values.count }

    /// Makes room for `count` values more of some `size` bytes in all.
    mutating func reserve(_ count: Int, _ size: Int) {
        values.reserveCapacity(values.count + count)
        bytes.reserveCapacity(bytes.count + size)
    }

    mutating func append(
        _ value: UnsafeRawBufferPointer, of field: Int, _ object: StoredObject,
        _ storedClass: StoredClass
    ) {
        let start = bytes.count
        bytes.append(contentsOf: value)
        values.append(
            Value(
                object: object, coder: .passUnretained(storedClass.fields.entries[field].coder),
                offset: storedClass.fields.entries[field].offset, version: storedClass.version,
                start: start, end: bytes.count))
    }

    mutating func removeAll(behind count: Int) {
        guard count < values.count else { return }
        bytes.removeLast(bytes.count - values[count].start)
        values.removeLast(values.count - count)
    }

    /// Gives the objects these values. Their states stay.
    func assign(in store: Store) throws {
        if values.isEmpty { return }
        try store.withBuffer { buffer in
            try bytes.withUnsafeBytes { bytes in
                for value in values {
                    buffer.borrow(UnsafeRawBufferPointer(rebasing: bytes[value.start..<value.end]))
                    buffer.setContext(store)
                    buffer.versionOfData = value.version
                    try store.withoutNotice(of: value.object) {
                        try value.coder._withUnsafeGuaranteedRef {
                            try $0.read(at: value.object.address(at: value.offset), from: buffer)
                        }
                    }
                }
            }
        }
    }
}
