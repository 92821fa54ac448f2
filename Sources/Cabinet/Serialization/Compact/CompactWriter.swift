import CabinetBackend
import Foundation

/// What all writers of one value share.
final class CompactScope {
    @exclusivity(unchecked) private(set) var names: [String] = []
    /// A misuse that the call which met it could not throw.
    var failure: (any Error)?
    /// Where the next key is looked for: mostly keys come in the same order again.
    @exclusivity(unchecked) private var next = 0
    /// The positions of all names, once there are many.
    private var positions: [String: Int] = [:]
    private static let fewNames = 16

    func position(of name: String) -> Int {
        if next < names.count, names[next] == name {
            next += 1
            return next - 1
        }
        let position = find(name) ?? append(name)
        next = position + 1
        return position
    }

    private func find(_ name: String) -> Int? {
        names.count <= Self.fewNames ? names.firstIndex(of: name) : positions[name]
    }

    private func append(_ name: String) -> Int {
        names.append(name)
        if names.count == Self.fewNames + 1 {
            for (position, name) in names.enumerated() { positions[name] = position }
        } else if names.count > Self.fewNames {
            positions[name] = names.count - 1
        }
        return names.count - 1
    }
}

/// Writes one value, or one container that is filled beside others, to a buffer of its own. A value
/// that is being encoded is a *frame*: frames are nested as calls of `encode(to:)`, and the
/// innermost takes values.
final class CompactWriter {
    struct Frame {
        enum Content: UInt8 { case none, single, keyed, unkeyed }

        var content = Content.none
        let start: Int
        /// Tells the frame from an earlier one of the same depth.
        let serial: UInt32
        /// The key that was written last, for messages.
        var key = -1
        var count = 0
        /// Containers that are filled later, and where they belong.
        var pending: [(offset: Int, writer: CompactWriter)] = []
    }

    let buffer = DataBuffer()
    let scope: CompactScope
    /// How many frames are outside of this writer.
    let depth: Int
    private let outerPath: [any CodingKey]
    @exclusivity(unchecked) var frames: [Frame] = []
    @exclusivity(unchecked) private var serial: UInt32 = 0

    init(_ scope: CompactScope, depth: Int = 0, path: [any CodingKey] = []) {
        (self.scope, self.depth, outerPath) = (scope, depth, path)
    }

    // MARK: Frames

    func begin() -> CompactFrame {
        serial &+= 1
        frames.append(Frame(start: buffer.count, serial: serial))
        return CompactFrame(writer: self, index: UInt32(frames.count - 1), serial: serial)
    }

    func end() {
        guard let frame = frames.popLast() else { return }
        switch frame.content {
        case .single where frame.count > 0: return
        case .none, .single: return beginContainer(.keyed)
        case .keyed, .unkeyed: break
        }
        if !frame.pending.isEmpty { splice(frame) }
        let content = frame.start + 2
        let length = buffer.count - content
        guard length >= 0 else { return }
        if length < 0x80 {
            buffer.memory[frame.start + 1] = UInt8(length)
            return
        }
        var digits: [UInt8] = []
        Self.forEachDigit(UInt64(length)) { digits.append($0) }
        guard buffer.extend(by: digits.count - 1) != nil, let base = buffer.memory.baseAddress
        else { return }
        let position = base + frame.start + 1
        (position + digits.count).copyMemory(from: position + 1, byteCount: length)
        for (index, digit) in digits.enumerated() {
            (position + index).storeBytes(of: digit, as: UInt8.self)
        }
    }

    /// Puts the containers that were filled later where they belong.
    private func splice(_ frame: Frame) {
        let content = buffer.withUnsafeBytes { [UInt8]($0[(frame.start + 2)...]) }
        buffer.takeBack(to: frame.start + 2)
        var from = 0
        for (offset, writer) in frame.pending {
            let position = offset - frame.start - 2
            content[from..<position].withUnsafeBytes { buffer.writeRawBytes($0) }
            from = position
            writer.end()
            writer.buffer.withUnsafeBytes { buffer.writeRawBytes($0) }
            if let error = writer.buffer.writeError { buffer.fail(error) }
        }
        content[from...].withUnsafeBytes { buffer.writeRawBytes($0) }
    }

    /// Writes what a container begins with; its length, up to 127, goes into the second byte.
    func beginContainer(_ content: Frame.Content) {
        buffer.writeUInt8(
            content == .keyed ? CompactForm.Tag.keyed : CompactForm.Tag.unkeyed)
        buffer.writeUInt8(0)
    }

    func path(to index: Int) -> [any CodingKey] {
        outerPath
            + frames.prefix(index).compactMap { frame -> (any CodingKey)? in
                switch frame.content {
                case .none, .single: nil
                case .keyed where frame.key < 0: nil
                case .keyed: CompactForm.Key(stringValue: scope.names[frame.key])
                case .unkeyed: CompactForm.Key(intValue: frame.count)
                }
            }
    }

    // MARK: Values

    /// Writes `value`. After a throw the buffer is as it was.
    func write<Value: Encodable>(_ value: Value) throws {
        if try writeKnown(value) { return }
        guard depth + frames.count < CompactForm.encodingDepth else {
            throw EncodingError.invalidValue(value, tooDeep)
        }
        let (start, count) = (buffer.count, frames.count)
        do {
            try value.encode(to: CompactEncoder(position: begin()))
        } catch {
            frames.removeLast(frames.count - count)
            buffer.takeBack(to: start)
            throw error
        }
        end()
    }

    var tooDeep: EncodingError.Context {
        .init(
            codingPath: path(to: frames.count),
            debugDescription: "nested more than \(CompactForm.encodingDepth) deep")
    }

    /// Writes a value of a type that has a form of its own; `false` for others.
    private func writeKnown<Value>(_ value: Value) throws -> Bool {
        func known<Known>(_ type: Known.Type) -> Known { unsafeBitCast(value, to: type) }
        if Value.self == String.self {
            writeText(known(String.self))
        } else if Value.self == Int.self {
            writeInteger(known(Int.self))
        } else if Value.self == Double.self {
            writeDouble(known(Double.self))
        } else if Value.self == Date.self {
            buffer.writeUInt8(CompactForm.Tag.date)
            buffer.writeDate(known(Date.self))
        } else if Value.self == UUID.self {
            buffer.writeUInt8(CompactForm.Tag.uuid)
            buffer.writeUUID(known(UUID.self))
        } else if Value.self == Data.self {
            let data = known(Data.self)
            buffer.writeUInt8(CompactForm.Tag.bytes)
            writeNumber(UInt64(data.count))
            data.withUnsafeBytes { buffer.writeRawBytes($0) }
        } else if Value.self == URL.self {
            let url = known(URL.self)
            // One that is relative to another says so itself.
            if url.baseURL != nil || url.absoluteString.isEmpty { return false }
            buffer.writeUInt8(CompactForm.Tag.url)
            writeCounted(url.absoluteString)
        } else if Value.self == Decimal.self {
            buffer.writeUInt8(CompactForm.Tag.decimal)
            writeCounted(Self.text(of: known(Decimal.self)))
        } else {
            return false
        }
        return true
    }

    private static func text(of number: Decimal) -> String {
        let buffer = DataBuffer()
        buffer.writeDecimal(number)
        return (try? buffer.readString()) ?? ""
    }

    func writeNil() { buffer.writeUInt8(CompactForm.Tag.none) }

    func writeBool(_ value: Bool) {
        buffer.writeUInt8(value ? CompactForm.Tag.yes : CompactForm.Tag.no)
    }

    func writeInteger<Value: FixedWidthInteger>(_ value: Value) {
        if value >= 0, value <= 0x7F { return buffer.writeUInt8(UInt8(truncatingIfNeeded: value)) }
        buffer.writeUInt8(value < 0 ? CompactForm.Tag.negative : CompactForm.Tag.positive)
        // Of a negative number, what is left of it beyond -1: it has no sign.
        let rest = value < 0 ? ~value : value
        if Value.bitWidth <= 64 {
            writeNumber(UInt64(truncatingIfNeeded: rest))
        } else {
            Self.forEachDigit(UInt128(truncatingIfNeeded: rest)) { buffer.writeUInt8($0) }
        }
    }

    func writeFloat(_ value: Float) {
        buffer.writeUInt8(CompactForm.Tag.float)
        buffer.writeFloat(value)
    }

    func writeDouble(_ value: Double) {
        let short = Float(value)
        if Double(short).bitPattern == value.bitPattern { return writeFloat(short) }
        buffer.writeUInt8(CompactForm.Tag.double)
        buffer.writeDouble(value)
    }

    func writeText(_ text: String) {
        let count = text.utf8.count
        if count < 0x40 {
            buffer.writeUInt8(CompactForm.Tag.shortText | UInt8(count))
        } else {
            buffer.writeUInt8(CompactForm.Tag.text)
            writeNumber(UInt64(count))
        }
        writeUTF8(text)
    }

    func writeCounted(_ text: String) {
        writeNumber(UInt64(text.utf8.count))
        writeUTF8(text)
    }

    private func writeUTF8(_ text: String) {
        var text = text
        text.withUTF8 { buffer.writeRawBytes(UnsafeRawBufferPointer($0)) }
    }

    /// A number in groups of 7 bits, the lowest first; all but the last have the high bit set.
    func writeNumber(_ number: UInt64) {
        if number < 0x80 { return buffer.writeUInt8(UInt8(truncatingIfNeeded: number)) }
        Self.forEachDigit(number) { buffer.writeUInt8($0) }
    }

    @inline(__always)
    private static func forEachDigit<Number: FixedWidthInteger & UnsignedInteger>(
        _ number: Number, _ body: (UInt8) -> Void
    ) {
        var rest = number
        while rest >= 0x80 {
            body(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        body(UInt8(truncatingIfNeeded: rest))
    }
}
