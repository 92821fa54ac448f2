import CabinetBackend
import Foundation

extension DataBuffer {
    /// Appends a byte count (UInt32, little-endian), then the bytes.
    public final func writeData(_ data: Data) {
        data.withUnsafeBytes { writeCounted($0) }
    }

    /// Reads what ``writeData(_:)`` wrote.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    public final func readData() throws(DataBufferError) -> Data {
        let data = Data(try peekCounted())
        try skipCounted()
        return data
    }

    /// Appends a date as a `Double`: seconds since 2001-01-01 00:00 UTC.
    public final func writeDate(_ date: Date) {
        writeDouble(date.timeIntervalSinceReferenceDate)
    }

    /// Reads what ``writeDate(_:)`` wrote.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    public final func readDate() throws(DataBufferError) -> Date {
        Date(timeIntervalSinceReferenceDate: try readDouble())
    }

    /// Appends a date as the 2010 format has it: 0 for no date.
    public final func writeLegacyDate(_ date: Date?) {
        writeDouble(date?.timeIntervalSinceReferenceDate ?? 0)
    }

    /// Reads a date as the 2010 format has it: 0 is no date.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    public final func readLegacyDate() throws(DataBufferError) -> Date? {
        let seconds = try readDouble()
        return seconds == 0 ? nil : Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// Appends the 16 bytes of a UUID in their own order.
    public final func writeUUID(_ uuid: UUID) {
        Swift.withUnsafeBytes(of: uuid.uuid) { writeRawBytes($0) }
    }

    /// Reads 16 bytes.
    /// - Throws: ``DataBufferError/truncated(needed:remaining:)``, without moving.
    public final func readUUID() throws(DataBufferError) -> UUID {
        var bytes = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let number = try readUInt128()
        Swift.withUnsafeMutableBytes(of: &bytes) {
            $0.storeBytes(of: number.littleEndian, as: UInt128.self)
        }
        return UUID(uuid: bytes)
    }

    /// Appends the URL's text, with its base if it has one: ``readURL()`` gives an absolute URL.
    public final func writeURL(_ url: URL) { writeString(url.absoluteString) }

    /// Reads what ``writeURL(_:)`` wrote.
    /// - Throws: ``DataBufferError/invalidValue(type:offset:)`` for a text that is no URL, and what
    ///   `readString()` throws, without moving.
    public final func readURL() throws(DataBufferError) -> URL {
        let start = position
        if let url = URL(string: try readString()) { return url }
        move(to: start)
        throw .invalidValue(type: "URL", offset: start)
    }

    /// Appends a decimal number as its text (`-12.5`, `NaN`), which is exact.
    public final func writeDecimal(_ number: Decimal) {
        writeString(NSDecimalNumber(decimal: number).description(withLocale: Self.plainLocale))
    }

    /// Reads what ``writeDecimal(_:)`` wrote.
    /// - Throws: ``DataBufferError/invalidValue(type:offset:)`` for a text that is no number, and
    ///   what `readString()` throws, without moving.
    public final func readDecimal() throws(DataBufferError) -> Decimal {
        let start = position
        let text = try readString()
        if text == "NaN" { return .nan }
        if Self.isNumber(text), let number = Decimal(string: text, locale: Self.plainLocale) {
            return number
        }
        move(to: start)
        throw .invalidValue(type: "Decimal", offset: start)
    }

    /// Whether `text` is a number from end to end: `Decimal` ignores what follows one.
    private static func isNumber(_ text: String) -> Bool {
        let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count(where: { $0 == UInt8(ascii: "-") }) <= 1 && parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    private static let plainLocale = Locale(identifier: "en_US_POSIX")
}

extension Data: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeData(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readData()
    }
    public static var minimumSize: Int { 4 }
}
extension Date: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeDate(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readDate()
    }
    public static var minimumSize: Int { 8 }
}
extension UUID: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeUUID(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readUUID()
    }
    public static var minimumSize: Int { 16 }
}
extension URL: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeURL(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readURL()
    }
    public static var minimumSize: Int { 4 }
}
extension Decimal: BufferValue {
    public func write(to buffer: DataBuffer) { buffer.writeDecimal(self) }
    public static func read(from buffer: DataBuffer) throws(DataBufferError) -> Self {
        try buffer.readDecimal()
    }
    public static var minimumSize: Int { 4 }
}
