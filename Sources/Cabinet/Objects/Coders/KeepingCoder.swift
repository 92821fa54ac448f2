import CabinetBackend

/// The coder of a field whose bytes are kept beside its object for a while, or for good.
class KeepingCoder: FieldCoder {
    /// Where the field lies in its object, and what it is called; set with the table.
    final var offset = 0
    final var name = ""

    @inline(__always)
    final func withObject<Result>(
        at address: UnsafeRawPointer, _ body: (StoredObject) throws -> Result
    ) rethrows -> Result {
        try Unmanaged<StoredObject>.fromOpaque(address - offset)._withUnsafeGuaranteedRef(body)
    }

    /// Decodes `kept` into its field of `object`. If that fails, the bytes stay, the field has its
    /// initial value, and the reason comes back.
    func decode(_ kept: KeptValue, in object: StoredObject) -> (any Error)? { nil }
}

/// The coder of a field of a `Codable` type: its value is decoded when it is first touched.
final class CodedCoder<Value>: KeepingCoder {
    private let form: ValueForm<Value>

    init(_ form: ValueForm<Value>) {
        self.form = form
        super.init(form.type)
    }

    override var values: (any AnyValueForm)? { form }

    private static func value(at address: UnsafeRawPointer) -> Value {
        address.assumingMemoryBound(to: Value.self).pointee
    }

    private static func set(_ value: Value, at address: UnsafeMutableRawPointer) {
        address.assumingMemoryBound(to: Value.self).pointee = value
    }

    override func write(at address: UnsafeRawPointer, to buffer: DataBuffer) {
        if let kept = withObject(at: address, { $0.keptValue(of: self) }) {
            return kept.withBytes { buffer.writeRawBytes($0) }
        }
        form.write(Self.value(at: address), to: buffer)
    }

    override func read(at address: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        try withObject(at: address) { object in
            // One outside of a store has nowhere to keep bytes.
            guard object.classReference != nil else {
                return try readOutside(at: address, from: buffer)
            }
            let start = buffer.position
            try type.skip(in: buffer)
            let end = buffer.position
            try buffer.withUnsafeBytes { bytes in
                let bytes = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                if case .optional = type, bytes.first == 0 {
                    buffer.move(to: start)
                    Self.set(try form.read(from: buffer), at: address)
                    object.dropKept(of: self)
                } else {
                    object.keep(bytes, for: self, .untouched)
                }
            }
        }
    }

    private func readOutside(
        at address: UnsafeMutableRawPointer, from buffer: DataBuffer
    ) throws {
        let start = buffer.position
        do { Self.set(try form.read(from: buffer), at: address) } catch {
            guard buffer.referenceMode is ReferencesOnly else { throw error }
            buffer.move(to: start)
            try type.skip(in: buffer)
        }
    }

    override func holds(_ value: UnsafeRawPointer, at address: UnsafeRawPointer) -> Bool {
        let isKept = withObject(at: address) { object in
            guard object.state.contains(.keepsBytes) else { return false }
            object.decodeKept(at: address)
            return object.keptValue(of: self) != nil
        }
        return !isKept && form.isSame(Self.value(at: address), Self.value(at: value))
    }

    override func decode(_ kept: KeptValue, in object: StoredObject) -> (any Error)? {
        let address = Unmanaged.passUnretained(object).toOpaque() + offset
        // If decoding touches the field, it finds only the field's memory.
        kept.header.standing = .undecodable
        do {
            let buffer = DataBuffer(capacity: 16)
            let value = try kept.withBytes { bytes in
                buffer.borrow(bytes)
                return try form.read(from: buffer)
            }
            Self.set(value, at: address)
            object.dropKept(of: self)
            return nil
        } catch {
            let new = type(of: object).init()
            let initial = UnsafeRawPointer(Unmanaged.passUnretained(new).toOpaque()) + offset
            Self.set(Self.value(at: initial), at: address)
            withExtendedLifetime(new) {}
            let reason =
                error as? DataBufferError ?? .coding(type: "\(Value.self)", reason: "\(error)")
            let failure = StoreError.cannotDecode(
                class: object.storedClass?.name ?? "\(type(of: object))", row: object.rowID,
                field: name,
                reason: reason)
            kept.header.error = failure
            return failure
        }
    }

    private func type(of object: StoredObject) -> StoredObject.Type { Swift.type(of: object) }
}

/// The coder of a field of an enum whose declaration names a value for raw values of newer
/// programs: such a raw value stays in the record until the field is set.
final class TolerantCoder<Value>: KeepingCoder {
    private let form: ValueForm<Value>
    private let unknown: Value

    init(_ form: ValueForm<Value>, unknown: Value) {
        self.form = form
        self.unknown = unknown
        super.init(form.type)
    }

    override var values: (any AnyValueForm)? { form }

    override func write(at address: UnsafeRawPointer, to buffer: DataBuffer) {
        if let kept = withObject(at: address, { $0.keptValue(of: self) }) {
            return kept.withBytes { buffer.writeRawBytes($0) }
        }
        form.write(address.assumingMemoryBound(to: Value.self).pointee, to: buffer)
    }

    override func read(at address: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        let start = buffer.position
        let value = try form.readKnown(from: buffer)
        address.assumingMemoryBound(to: Value.self).pointee = value ?? unknown
        withObject(at: address) { object in
            guard value == nil, object.classReference != nil else {
                return object.dropKept(of: self)
            }
            let end = buffer.position
            buffer.withUnsafeBytes {
                object.keep(UnsafeRawBufferPointer(rebasing: $0[start..<end]), for: self, .unknown)
            }
        }
    }

    override func holds(_ value: UnsafeRawPointer, at address: UnsafeRawPointer) -> Bool {
        if withObject(at: address, { $0.keptValue(of: self) }) != nil { return false }
        return form.isSame(
            address.assumingMemoryBound(to: Value.self).pointee,
            value.assumingMemoryBound(to: Value.self).pointee)
    }
}
