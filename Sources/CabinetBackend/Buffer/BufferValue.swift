/// A value that knows its bytes in a ``DataBuffer``.
///
/// All integers, `Bool`, `Float`, `Double`, `String`, optionals, arrays, sets and dictionaries of
/// such values conform here; `Cabinet` adds Foundation's `Data`, `Date`, `UUID`, `URL` and
/// `Decimal`. An enum with a raw value conforms by saying so:
///
/// ```swift
/// enum Genre: UInt8, BufferValue { case jazz = 1, soul }
/// ```
public protocol BufferValue {
    /// Appends the value. An error is kept in the buffer's `writeError`.
    func write(to buffer: DataBuffer)
    /// Reads the next value and moves past it.
    static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self
    /// The fewest bytes that any value takes: what a count is checked against.
    static var minimumSize: Int { get }
}

extension BufferValue {
    public static var minimumSize: Int { 1 }
}

extension BufferValue where Self: RawRepresentable, RawValue: BufferValue {
    public func write(to buffer: DataBuffer) { rawValue.write(to: buffer) }

    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        let start = buffer.position
        if let value = Self(rawValue: try RawValue.read(from: buffer)) { return value }
        buffer.move(to: start)
        throw .invalidValue(type: "\(Self.self)", offset: start)
    }

    public static var minimumSize: Int { RawValue.minimumSize }
}

extension DataBuffer {
    /// Back to a position that was taken from ``position``.
    package final func move(to position: Int) { cursor = origin + position }

    /// Reads with `body`; on a throw, the position is what it was.
    @inlinable
    package final func atomically<Value>(
        _ body: () throws(DataBufferError) -> Value
    ) throws(DataBufferError) -> Value {
        let start = cursor
        do { return try body() } catch {
            cursor = start
            throw error
        }
    }
}
