import CabinetBackend

/// How the declared fields of the present layout lie in records, to pass over them.
final class RecordShape {
    private struct Step {
        let kind: Kind
        let size: UInt8
    }

    private enum Kind: UInt8 {
        case fixed, counted, optionalFixed, optionalCounted, one, other
    }

    private let steps: UnsafeMutableBufferPointer<Step>
    private let types: [FieldType]

    init(_ fields: [FieldTable.Entry]) {
        types = fields.map(\.coder.type)
        steps = .allocate(capacity: types.count)
        _ = steps.initialize(from: types.map(Self.step))
    }

    deinit { steps.deallocate() }

    private static func step(_ type: FieldType) -> Step {
        switch type {
        case .scalar(let scalar):
            scalar.size.map { Step(kind: .fixed, size: UInt8($0)) } ?? Step(kind: .counted, size: 0)
        case .compact, .custom: Step(kind: .counted, size: 0)
        case .optional(.scalar(let scalar)):
            scalar.size.map { Step(kind: .optionalFixed, size: UInt8($0)) }
                ?? Step(kind: .optionalCounted, size: 0)
        case .one: Step(kind: .one, size: 0)
        default: Step(kind: .other, size: 0)
        }
    }

    /// Where `field` ends, which begins `start` bytes into the record; `nil` if the record ends.
    @inline(__always)
    func end(of field: Int, from start: Int, in record: UnsafeRawPointer, _ count: Int) -> Int? {
        let step = steps[field]
        if step.kind == .fixed {
            let end = start &+ Int(step.size)
            return end <= count ? end : nil
        }
        guard start < count else { return nil }
        let end: Int
        switch step.kind {
        case .fixed, .counted: end = Self.counted(at: start, in: record, count)
        case .optionalFixed:
            end =
                record.load(fromByteOffset: start, as: UInt8.self) == 0
                ? start &+ 1 : start &+ 1 &+ Int(step.size)
        case .optionalCounted:
            end =
                record.load(fromByteOffset: start, as: UInt8.self) == 0
                ? start &+ 1 : Self.counted(at: start &+ 1, in: record, count)
        case .one:
            end = record.load(fromByteOffset: start, as: UInt8.self) == 0 ? start &+ 5 : start &+ 6
        case .other: return endOfOther(field, from: start, in: record, count)
        }
        return end <= count ? end : nil
    }

    /// Where a value ends that stands behind its byte count; past the record's end if it does.
    @inline(__always)
    private static func counted(at start: Int, in record: UnsafeRawPointer, _ count: Int) -> Int {
        guard start &+ 4 <= count else { return .max }
        let size = record.loadUnaligned(fromByteOffset: start, as: UInt32.self)
        return start &+ 4 &+ Int(UInt32(littleEndian: size))
    }

    @inline(never)
    private func endOfOther(
        _ field: Int, from start: Int, in record: UnsafeRawPointer, _ count: Int
    ) -> Int? {
        let buffer = DataBuffer(capacity: 16)
        buffer.borrow(UnsafeRawBufferPointer(start: record, count: count))
        buffer.move(to: start)
        guard (try? types[field].skip(in: buffer)) != nil else { return nil }
        return buffer.position
    }
}
