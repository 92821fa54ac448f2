import CLibrary
import CabinetBackend

/// A text that others are searched for, by their bytes where that finds the same.
///
/// Swift searches a text by its characters. Those of an ASCII text are its bytes, but for a carriage
/// return with a line feed, which are one character.
final class TextSearch {
    private let bytes: [UInt8]
    private let isPlain: Bool

    init(_ text: String) {
        bytes = Array(text.utf8)
        isPlain = !bytes.isEmpty && bytes.allSatisfy { $0 < 0x80 && $0 != 0x0A && $0 != 0x0D }
    }

    /// Whether `text` contains this one; `nil` if its bytes do not tell.
    func isIn(_ text: UnsafeRawBufferPointer) -> Bool? {
        guard isPlain, RecordText.isASCII(text) else { return nil }
        guard let base = text.baseAddress, text.count >= bytes.count else { return false }
        return bytes.withUnsafeBytes { own in
            guard let first = own.baseAddress else { return true }
            var position = 0
            let last = text.count - own.count
            while position <= last,
                let found = memchr(base + position, Int32(own[0]), last - position + 1)
            {
                if memcmp(found, first, own.count) == 0 { return true }
                position = UnsafeRawPointer(found) - base + 1
            }
            return false
        }
    }

    /// Whether `text` begins with this one; `nil` if its bytes do not tell.
    func begins(_ text: UnsafeRawBufferPointer) -> Bool? {
        guard isPlain, RecordText.isASCII(text) else { return nil }
        guard let base = text.baseAddress, text.count >= bytes.count else { return false }
        return bytes.withUnsafeBytes { own in
            own.baseAddress.map { memcmp(base, $0, own.count) == 0 } ?? true
        }
    }
}

extension FieldFilters {
    /// Asks the text of a field: `bytes` first and, if these do not tell, `text`. `nil` for a field
    /// of another type.
    static func text(
        _ field: ClassFields.Field, bytes: @escaping (UnsafeRawBufferPointer) -> Bool?,
        text: @escaping (String) throws -> Bool
    ) -> Filter? {
        guard field.form.valueType == String.self else { return nil }
        let (index, offset) = (field.index, field.offset)
        return ClosureFilter { cursor in
            try cursor.read(index, offset: offset, size: 4) {
                try text($0.assumingMemoryBound(to: String.self).pointee)
            } inRecord: { start, count in
                guard let found = RecordText.bytes(at: start, count) else { return false }
                return try bytes(found) ?? text(String(decoding: found, as: UTF8.self))
            }
        }
    }
}
