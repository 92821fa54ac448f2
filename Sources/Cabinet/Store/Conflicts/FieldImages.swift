import CabinetBackend

/// The fields of one object that hold values, as the bytes that a record would have of them.
final class FieldImages {
    private let buffer = DataBuffer()
    private var ends: [Int] = []
    private var types: [FieldType] = []

    /// Takes the fields of `object`, whose content is there; relationships are left out.
    func take(_ object: StoredObject, _ fields: FieldTable, in store: Store) {
        buffer.removeAll()
        buffer.context = store
        ends.removeAll(keepingCapacity: true)
        types = fields.entries.map(\.coder.type)
        for entry in fields.entries {
            if !(entry.coder is RelationCoder) {
                entry.coder.write(
                    at: UnsafeRawPointer(object.address(at: entry.offset)), to: buffer)
            }
            ends.append(buffer.count)
        }
        withExtendedLifetime(object) {}
    }

    var areWhole: Bool { buffer.writeError == nil }

    /// The bytes of the field of that index, until the next call of ``take(_:_:in:)``.
    subscript(index: Int) -> UnsafeRawBufferPointer {
        let start = index == 0 ? 0 : ends[index - 1]
        return UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(buffer.memory)[start..<ends[index]])
    }

    func isSame(_ index: Int, as other: FieldImages) -> Bool {
        types[index].areSame(self[index], other[index])
    }
}

extension StoredObject {
    /// Where what lies `offset` bytes into the object stands.
    final func address(at offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }
}

extension FieldTable.Entry {
    /// Reads `bytes`, which ``FieldImages`` gave, into the field of `object`.
    func read(_ bytes: UnsafeRawBufferPointer, into object: StoredObject, in store: Store) throws {
        try store.withBuffer { buffer in
            buffer.writeRawBytes(bytes)
            buffer.context = store
            buffer.versionOfData = type(of: object).version
            try store.withoutNotice(of: object) {
                try coder.read(at: object.address(at: offset), from: buffer)
            }
        }
    }
}
