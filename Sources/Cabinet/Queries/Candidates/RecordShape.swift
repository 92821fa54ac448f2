import CabinetBackend

/// Where the declared fields lie in records of a class's present layout: what is needed to pass
/// over them without decoding them.
///
/// `Sendable`: a value.
struct RecordShape: Sendable {
    /// How one field is passed over.
    private struct Step: Sendable {
        let kind: Kind
        /// How many bytes a fixed value takes.
        let size: Int
    }

    private enum Kind: UInt8, Sendable {
        case fixed, counted, optionalFixed, optionalCounted, one, other
    }

    private let steps: [Step]
    private let types: [FieldType]

    init(_ fields: [FieldTable.Entry]) {
        types = fields.map(\.coder.type)
        steps = types.map(Self.step)
    }

    private static func step(_ type: FieldType) -> Step {
        switch type {
        case .scalar(let scalar):
            scalar.size.map { Step(kind: .fixed, size: $0) } ?? Step(kind: .counted, size: 0)
        case .coded, .compact, .custom: Step(kind: .counted, size: 0)
        case .optional(.scalar(let scalar)):
            scalar.size.map { Step(kind: .optionalFixed, size: $0) }
                ?? Step(kind: .optionalCounted, size: 0)
        case .one: Step(kind: .one, size: 0)
        default: Step(kind: .other, size: 0)
        }
    }

    /// Where the field after `field` begins, which begins at `start`; `nil` if the record ends
    /// before.
    @inline(__always)
    func end(of field: Int, from start: Int, in record: UnsafeRawBufferPointer) -> Int? {
        let step = steps[field]
        var end = start
        switch step.kind {
        case .fixed: end += step.size
        case .counted: end = counted(at: start, in: record)
        case .optionalFixed:
            guard start < record.count else { return nil }
            end += record[start] == 0 ? 1 : 1 + step.size
        case .optionalCounted:
            guard start < record.count else { return nil }
            end = record[start] == 0 ? start + 1 : counted(at: start + 1, in: record)
        case .one:
            guard start < record.count else { return nil }
            end += record[start] == 0 ? 5 : 6
        case .other: return endOfOther(field, from: start, in: record)
        }
        return end <= record.count ? end : nil
    }

    /// Where a value ends that stands behind its byte count; past the record's end if it does.
    @inline(__always)
    private func counted(at start: Int, in record: UnsafeRawBufferPointer) -> Int {
        guard start + 4 <= record.count else { return .max }
        let count = UInt32(
            littleEndian: record.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        return start + 4 + Int(count)
    }

    private func endOfOther(
        _ field: Int, from start: Int, in record: UnsafeRawBufferPointer
    ) -> Int? {
        let buffer = DataBuffer(capacity: 16)
        buffer.borrow(record)
        buffer.move(to: start)
        guard (try? types[field].skip(in: buffer)) != nil else { return nil }
        return buffer.position
    }
}
