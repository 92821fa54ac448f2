import CabinetBackend

/// A record, its values under the names that they had when it was written: what
/// ``StoredObject/upgrade(from:)`` and the closure of ``Store/forEachRecord(of:_:)`` are given.
///
/// Good until the call returns; afterwards every name is unknown. Not `Sendable`.
public final class RawRecord {
    /// A field whose value no field of the class can take.
    struct Unconverted {
        let field: String
        let from: FieldType
        var to: FieldType?
    }

    /// The ``StoredObject/version`` of the class that was in force when the record was written.
    public let version: UInt8
    /// The row of the record in the table of its class.
    public var rowID: RowID { row }
    /// The names of the fields in the record, in their order.
    public var fieldNames: [String] { entries.map(\.name) }

    /// The type of the field that was called `name`, as the catalog writes it: `Int32?`,
    /// `[String: Date]`, `Set<UUID>`, `Codable<Place>`, `Custom<Money>`, `One<Artwork>`,
    /// `Many<Song>`. `nil` if the record has no such field.
    public func type(of name: String) -> String? {
        entries.first { $0.name == name }.map { "\($0.type)" }
    }

    struct Entry {
        let name: String
        let type: FieldType
        /// Of a relationship: the number of the declared class.
        let target: UInt8?
        let range: Range<Int>
    }

    private var entries: [Entry]
    private let unconverted: [Unconverted]
    private let className: String
    private let row: RowID
    let buffer: DataBuffer

    init(
        _ entries: [Entry], version: UInt8, unconverted: [Unconverted], className: String,
        row: RowID, _ buffer: DataBuffer
    ) {
        self.entries = entries
        self.version = version
        self.unconverted = unconverted
        self.className = className
        self.row = row
        self.buffer = buffer
    }

    /// The record's memory is about to go.
    func end() { entries = [] }

    /// Throws if the value of some field fitted no field of the class.
    func refuseUnconverted() throws(StoreError) {
        guard let first = unconverted.first else { return }
        throw .fieldChanged(
            class: className, row: row, field: first.field, from: "\(first.from)",
            to: first.to.map { "\($0)" } ?? "no field")
    }

    /// The value of the field that was called `name`, as a type that holds it without loss; `nil`
    /// if the record has no such field.
    /// - Throws: ``StoreError/fieldChanged(class:row:field:from:to:)`` for a type that does not, or
    ///   a ``DataBufferError``.
    public func value<Value: BufferValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws -> Value? {
        try read(name) { found in
            if found == .custom("\(type)") {
                _ = try buffer.readUInt32()
                return try Value.read(from: buffer)
            }
            guard let wanted = FieldType(type), found.widens(to: wanted) else {
                throw mismatch(name, found, "\(type)")
            }
            let converted = DataBuffer()
            try found.convert(buffer, to: wanted, converted)
            return try Value.read(from: converted)
        }
    }

    /// The value of a field of a `Codable` type; `nil` if the record has no such field, or the
    /// field no value.
    /// - Throws: as ``value(_:as:)``.
    public func codable<Value: Decodable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws -> Value? {
        try read(name) { found -> Value? in
            var found = found
            while case .optional(let wrapped) = found {
                guard try buffer.readBool() else { return nil }
                found = wrapped
            }
            switch found {
            case .compact: return try buffer.readCodable(type)
            default: throw mismatch(name, found, "\(type)")
            }
        }
    }

    /// The objects in the relationship that was called `name`; `nil` if there was none.
    /// - Throws: as ``value(_:as:)``, or ``StoreError/classNotRegistered(_:)``.
    public func objects(_ name: String) throws -> [StoredObject]? {
        let target = target(of: name)
        return try read(name) { found in
            switch found {
            case .one: try buffer.readRelated(ofClass: target).map { [$0] } ?? []
            case .many: try buffer.readAllRelated(ofClass: target)
            default: throw mismatch(name, found, "relationship")
            }
        }
    }

    /// The number of the declared class of the relationship that was called `name`.
    func target(of name: String) -> UInt8? { entries.first { $0.name == name }?.target }

    /// Calls `body` with the type of the field `name`, ``buffer`` before its value; else `nil`.
    func read<Result>(
        _ name: String, _ body: (FieldType) throws -> Result?
    ) throws -> Result? {
        guard let entry = entries.first(where: { $0.name == name }) else { return nil }
        let position = buffer.position
        defer { buffer.move(to: position) }
        buffer.move(to: entry.range.lowerBound)
        return try body(entry.type)
    }

    func mismatch(_ name: String, _ found: FieldType, _ wanted: String) -> StoreError {
        .fieldChanged(
            class: className, row: row, field: name, from: "\(found)", to: wanted)
    }
}
