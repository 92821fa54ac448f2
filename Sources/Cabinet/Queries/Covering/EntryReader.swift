import CabinetBackend
import Foundation

/// How a part of a key becomes the bytes that a record has of the value.
enum EntryForm {
    case integer(size: Int, isSigned: Bool)
    case bool
    case float, double, date
    case uuid
    case text
    /// The target of a relationship, or none.
    case target
    /// The part is passed over.
    case skipped

    /// `nil` for a type whose parts are not known.
    init?(of type: Any.Type) {
        if type == String.self {
            self = .text
        } else if type == UUID.self {
            self = .uuid
        } else if let fixed = withFixedType(type, FormOfFixed()), let fixed {
            self = fixed
        } else {
            return nil
        }
    }
}

private struct FormOfFixed: FixedValueBody {
    func run<Value: FixedValue>(_ type: Value.Type) -> EntryForm? {
        if type == Bool.self { return .bool }
        if type == Float.self { return .float }
        if type == Double.self { return .double }
        if type == Date.self { return .date }
        guard let integer = type as? any FixedWidthInteger.Type else { return nil }
        return .integer(size: Value.recordSize, isSigned: integer.isSigned)
    }
}

/// Makes of the keys of an index what records have of the same fields, and turns a cursor to that.
final class EntryReader {
    private let columns: [EntryColumns.Column]
    private let values: UnsafeMutableRawPointer
    private var size = 0

    /// - Parameter columns: from the index's first one on.
    init(_ columns: [EntryColumns.Column]) {
        self.columns = columns
        // A part is never longer than its key; each field has five bytes more at most, beside room
        // for a whole word.
        values = .allocate(
            byteCount: OrderedKey.longestWhole + columns.count * 16 + 16, alignment: 8)
    }

    deinit { values.deallocate() }

    /// Turns `cursor` to what `key`, without its row, says of the object of `row`.
    /// - Throws: ``RowCursor/NotInEntry`` if it is no such key.
    @inline(__always)
    func read(
        _ key: UnsafeRawBufferPointer, _ row: RowID, _ cursor: RowCursor
    ) throws(RowCursor.NotInEntry) {
        guard key.count <= OrderedKey.longestWhole else { throw .init() }
        var position = 0
        size = 0
        for column in columns {
            let start = size
            if column.fidelity == nil {
                guard let end = Self.end(of: key, from: position) else { throw .init() }
                position = end
                continue
            }
            if column.isOptional {
                guard position < key.count else { throw .init() }
                let isThere = key[position] != KeyTag.absent
                store(isThere ? 1 as UInt8 : 0)
                cursor.setStart(of: column.field, start)
                if !isThere {
                    position += 1
                    continue
                }
            }
            guard let end = copy(column.form, key, from: position) else { throw .init() }
            cursor.setStart(of: column.field, start)
            position = end
        }
        cursor.take(entry: UnsafeRawBufferPointer(start: values, count: size), at: row)
    }

    @inline(__always)
    private func store<Value>(_ value: Value) {
        values.storeBytes(of: value, toByteOffset: size, as: Value.self)
        size &+= MemoryLayout<Value>.size
    }

    /// Copies one value. Returns where its part ends; `nil` if there is none of that form.
    private func copy(
        _ form: EntryForm, _ key: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        guard start < key.count, let end = Self.end(of: key, from: start) else { return nil }
        let tag = key[start]
        switch form {
        case .integer(let width, let isSigned):
            guard let low = Self.integer(key, start, end),
                Self.fits(low, isNegative: tag <= KeyTag.negative, width, isSigned)
            else { return nil }
            store(low.littleEndian)
            size &-= 8 &- width
        case .bool:
            guard tag == KeyTag.falseValue || tag == KeyTag.trueValue else { return nil }
            store(tag == KeyTag.trueValue ? 1 as UInt8 : 0)
        case .float:
            guard tag == KeyTag.float else { return nil }
            let value = Self.float(key, start)
            store(Float(value).bitPattern.bigEndian)
        case .double, .date:
            guard tag == (form.isDate ? KeyTag.date : KeyTag.float) else { return nil }
            store(Self.float(key, start).bitPattern.bigEndian)
        case .uuid:
            guard tag == KeyTag.uuid, let base = key.baseAddress else { return nil }
            (values + size).copyMemory(from: base + start + 1, byteCount: 16)
            size &+= 16
        case .text:
            guard tag == KeyTag.text else { return nil }
            return copyText(key, from: start, to: end) ? end : nil
        case .target: return copyTarget(key, from: start, to: end) ? end : nil
        case .skipped: return nil
        }
        return end
    }

    private func copyTarget(
        _ key: UnsafeRawBufferPointer, from start: Int, to end: Int
    ) -> Bool {
        // As records have it: a class of any number, and the row, or the declared one, and no row.
        if key[start] == KeyTag.absent {
            store(0 as UInt8)
            store(0 as UInt32)
            return true
        }
        guard key[start] == KeyTag.reference, end - start == 6 else { return false }
        store(1 as UInt8)
        store(key[start + 1])
        store(
            UInt32(bigEndian: key.loadUnaligned(fromByteOffset: start + 2, as: UInt32.self))
                .littleEndian)
        return true
    }

    private func copyText(
        _ key: UnsafeRawBufferPointer, from start: Int, to end: Int
    ) -> Bool {
        let head = size
        size &+= 4
        var position = start + 1
        while position < end - 1 {
            var byte = key[position]
            if byte == KeyEscape.escape {
                position += 1
                guard position < end - 1 else { return false }
                switch key[position] {
                case KeyEscape.zero: byte = 0
                case KeyEscape.one: byte = 1
                default: return false
                }
            }
            values.storeBytes(of: byte, toByteOffset: size, as: UInt8.self)
            size &+= 1
            position += 1
        }
        values.storeBytes(
            of: UInt32(size - head - 4).littleEndian, toByteOffset: head, as: UInt32.self)
        return true
    }

    /// The low 64 bits of an integer of up to 8 bytes.
    @inline(__always)
    private static func integer(
        _ key: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) -> UInt64? {
        let tags = KeyTag.negative - 16...KeyTag.positive + 16
        guard end - start <= 9, tags.contains(key[start]) else { return nil }
        var low: UInt64 = key[start] <= KeyTag.negative ? .max : 0
        for position in start + 1..<end { low = low << 8 | UInt64(key[position]) }
        return low
    }

    @inline(__always)
    private static func fits(
        _ low: UInt64, isNegative: Bool, _ width: Int, _ isSigned: Bool
    ) -> Bool {
        let bits = width * 8 - (isSigned ? 1 : 0)
        if isNegative {
            return isSigned && (bits == 63 ? low >> 63 == 1 : ~low >> UInt64(bits) == 0)
        }
        return bits == 64 || low >> UInt64(bits) == 0
    }

    /// The number or date of a part; `nil` if it is of another kind.
    static func number(in key: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Double? {
        guard start < end, end <= key.count, end - start == 9,
            key[start] == KeyTag.float || key[start] == KeyTag.date
        else { return nil }
        return float(key, start)
    }

    @inline(__always)
    private static func float(_ key: UnsafeRawBufferPointer, _ start: Int) -> Double {
        let bits = UInt64(
            bigEndian: key.loadUnaligned(fromByteOffset: start + 1, as: UInt64.self))
        if bits == .max { return .nan }
        return Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)
    }

    /// Where the part that begins at `start` ends; `nil` if it is none, or its end is missing.
    @inline(__always)
    static func end(of key: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < key.count else { return nil }
        let tag = key[start]
        let size: Int
        switch tag {
        case KeyTag.absent, KeyTag.falseValue, KeyTag.trueValue: size = 1
        case KeyTag.negative - 16...KeyTag.negative: size = 1 + Int(KeyTag.negative - tag)
        case KeyTag.positive...KeyTag.positive + 16: size = 1 + Int(tag - KeyTag.positive)
        case KeyTag.float, KeyTag.date: size = 9
        case KeyTag.uuid: size = 17
        case KeyTag.reference: size = 6
        case KeyTag.data, KeyTag.text, KeyTag.collated:
            var position = start + 1
            while position < key.count {
                if key[position] == KeyEscape.end { return position + 1 }
                position += 1
            }
            return nil
        default: return endOfOther(key, start)
        }
        return start + size <= key.count ? start + size : nil
    }

    @inline(never)
    private static func endOfOther(_ key: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        var reader = OrderedKeyReader(UnsafeRawBufferPointer(rebasing: key[start...]))
        guard (try? reader.nextPart()) != nil else { return nil }
        return start + reader.position
    }
}

extension EntryForm {
    fileprivate var isDate: Bool { if case .date = self { true } else { false } }
}
