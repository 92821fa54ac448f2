/// One change of one table, or a note, as it lies in a ``WriteBatch`` and in an engine's log.
///
/// | operation | bytes behind the kind (UInt8) and the table (UInt16) |
/// |---|---|
/// | put row | UInt32 row, UInt32 length, value, CRC |
/// | delete row | UInt32 row |
/// | put key | UInt32 key length, UInt32 value length, key, value, CRC |
/// | delete key | UInt32 key length, key |
/// | define table | UInt8 kind, UInt8 class number, UInt8 class version, UInt8 flags, UInt16 length, name |
/// | drop table | nothing |
/// | note | UInt32 length of what follows, UInt8 tag, bytes |
/// | 0x81, former | UInt32 length of what follows, UInt8 form, see FORMATS.md |
/// | kinds from 0x82 on | UInt32 length, bytes |
///
/// Kinds from 0x80 on carry their length, so that a reader skips those that it does not know; they
/// change no table. A kind below 0x80 that a reader does not know is damage: it could not go on.
///
/// Integers are little-endian. The CRC is CRC-32C over key and value, 4 bytes; the key of a row is
/// its decimal text (``DecimalKey``). An engine may store value and CRC as they stand.
///
/// Byte ranges point into the memory that was read, and live as long as it does.
public enum Operation {
    /// `stored` is the value with its CRC behind it.
    case putRow(table: TableNumber, row: RowID, stored: UnsafeRawBufferPointer)
    /// The row and its value go.
    case deleteRow(table: TableNumber, row: RowID)
    /// `stored` is the value with its CRC behind it.
    case putKey(table: TableNumber, key: UnsafeRawBufferPointer, stored: UnsafeRawBufferPointer)
    /// The key and its value go.
    case deleteKey(table: TableNumber, key: UnsafeRawBufferPointer)
    /// A new table, or a new definition of a known one.
    case define(TableDefinition)
    /// The table goes with all that it holds.
    case drop(table: TableNumber)
    /// Says something of the commit, and changes no table. `tag` is what the writer chose.
    case note(tag: UInt8, bytes: UnsafeRawBufferPointer)
    /// An operation that this program does not know and may skip; it changes no table.
    case unknown(kind: UInt8, table: TableNumber, bytes: UnsafeRawBufferPointer)

    /// What a row or key was before the commit (``FormerValue``).
    package static var former: UInt8 { 0x81 }

    /// Kinds from this one on carry their length.
    package static var firstSkippable: UInt8 { 0x80 }

    /// How many bytes the CRC behind a value takes.
    @inlinable public static var checksumSize: Int { 4 }

    @usableFromInline
    enum Kind {
        @inlinable static var putRow: UInt8 { 1 }
        @inlinable static var deleteRow: UInt8 { 2 }
        @inlinable static var putKey: UInt8 { 3 }
        @inlinable static var deleteKey: UInt8 { 4 }
        @inlinable static var define: UInt8 { 5 }
        @inlinable static var drop: UInt8 { 6 }
        @inlinable static var note: UInt8 { 0x80 }
    }
}

/// Walks the operations in a run of bytes, which may come from a damaged disk: every length is
/// checked before it is used.
public struct OperationReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var position = 0
    /// Where the next operation begins, in bytes from the front.
    public var offset: Int { position }
    /// Whether the bytes at `offset` are no operation; nothing is read beyond them.
    public private(set) var isDamaged = false

    /// The bytes of a put before its key or value: kind, table, row or the key's length, length.
    @inlinable static var putHeader: Int { 11 }

    /// A reader at the front of `bytes`, which must stay valid while the reader is used.
    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next operation, or `nil` at the end and before the first damaged one.
    ///
    /// Puts of rows and keys, which are nearly all there is, are read in place: 20 instructions in
    /// the caller's loop instead of 137.
    @inlinable @inline(__always)
    public mutating func next() -> Operation? {
        let left = bytes.count &- position
        guard left > Self.putHeader, let base = bytes.baseAddress else {
            return left == 0 ? nil : readNext()
        }
        let start = base + position
        let kind = start.load(as: UInt8.self)
        let length = Int(UInt32(littleEndian: (start + 7).loadUnaligned(as: UInt32.self)))
        let size = length &+ Operation.checksumSize
        if kind == Operation.Kind.putRow {
            guard left &- Self.putHeader >= size else { return readNext() }
            position &+= Self.putHeader &+ size
            return .putRow(
                table: Self.table(start), row: RowID(Self.number(start)),
                stored: UnsafeRawBufferPointer(start: start + Self.putHeader, count: size))
        }
        guard kind == Operation.Kind.putKey else { return readNext() }
        let keyLength = Int(Self.number(start))
        guard left &- Self.putHeader >= keyLength &+ size else { return readNext() }
        position &+= Self.putHeader &+ keyLength &+ size
        let key = start + Self.putHeader
        return .putKey(
            table: Self.table(start), key: UnsafeRawBufferPointer(start: key, count: keyLength),
            stored: UnsafeRawBufferPointer(start: key + keyLength, count: size))
    }

    /// The table of the operation that begins there.
    @inlinable @inline(__always)
    static func table(_ operation: UnsafeRawPointer) -> TableNumber {
        TableNumber(UInt16(littleEndian: (operation + 1).loadUnaligned(as: UInt16.self)))
    }

    /// The row of a put, or the length of its key.
    @inlinable @inline(__always)
    static func number(_ put: UnsafeRawPointer) -> UInt32 {
        UInt32(littleEndian: (put + 3).loadUnaligned(as: UInt32.self))
    }

    @inline(never) @usableFromInline
    mutating func readNext() -> Operation? {
        guard !isDamaged, position < bytes.count else { return nil }
        let start = position
        if let operation = read() { return operation }
        position = start
        isDamaged = true
        return nil
    }

    private mutating func read() -> Operation? {
        guard let kind = integer(UInt8.self),
            let table = integer(UInt16.self).map(TableNumber.init(rawValue:))
        else { return nil }
        switch kind {
        case Operation.Kind.deleteRow:
            return integer(UInt32.self).map { .deleteRow(table: table, row: RowID($0)) }
        case Operation.Kind.deleteKey:
            guard let keyLength = integer(UInt32.self), let key = run(UInt64(keyLength)) else {
                return nil
            }
            return .deleteKey(table: table, key: key)
        case Operation.Kind.define:
            return definition(of: table).map(Operation.define)
        case Operation.Kind.drop:
            return .drop(table: table)
        default:
            // A put that is whole was read in place.
            return kind >= Operation.firstSkippable ? skippable(kind, table) : nil
        }
    }

    private mutating func skippable(_ kind: UInt8, _ table: TableNumber) -> Operation? {
        guard let length = integer(UInt32.self), let bytes = run(UInt64(length)) else { return nil }
        guard kind == Operation.Kind.note else {
            if kind == Operation.former, !FormerValue.isPossible(bytes) { return nil }
            return .unknown(kind: kind, table: table, bytes: bytes)
        }
        guard let tag = bytes.first else { return nil }
        return .note(tag: tag, bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    }

    private mutating func definition(of table: TableNumber) -> TableDefinition? {
        guard let kind = integer(UInt8.self).flatMap(TableKind.init(rawValue:)),
            let classNumber = integer(UInt8.self), let classVersion = integer(UInt8.self),
            let flags = integer(UInt8.self), let length = integer(UInt16.self),
            let name = run(UInt64(length)).flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        return TableDefinition(
            number: table, kind: kind, name: name,
            classNumber: classNumber, classVersion: classVersion,
            flags: TableFlags(rawValue: flags))
    }

    @inline(__always)
    private mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) -> Value? {
        let size = MemoryLayout<Value>.size
        guard bytes.count - position >= size else { return nil }
        defer { position += size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }

    @inline(__always)
    private mutating func run(_ length: UInt64) -> UnsafeRawBufferPointer? {
        guard UInt64(bytes.count - position) >= length else { return nil }
        defer { position += Int(length) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(length)])
    }
}
