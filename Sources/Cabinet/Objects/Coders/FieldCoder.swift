import CabinetBackend
import Foundation

/// How one field of an object comes into a record and out of it, given where the field lies.
@usableFromInline
class FieldCoder {
    let type: FieldType
    /// Which of the common forms it is: those are written and read without asking the coder.
    let kind: Kind

    enum Kind: UInt8 {
        case other, string, bytes1, bytes2, bytes4, bytes8, bool, float, double, date
    }

    init(_ type: FieldType, kind: Kind = .other) {
        self.type = type
        self.kind = kind
    }

    func write(at address: UnsafeRawPointer, to buffer: DataBuffer) {}

    /// Reads a value into the field at `address`. On a throw the field is as it was.
    func read(at address: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {}

    func holds(_ value: UnsafeRawPointer, at address: UnsafeRawPointer) -> Bool { false }

    /// The form of the values, for callers without their type; `nil` for a relationship.
    var values: (any AnyValueForm)? { nil }
}

final class ValueCoder<Value>: FieldCoder {
    private let form: ValueForm<Value>

    init(_ form: ValueForm<Value>) {
        self.form = form
        super.init(form.type, kind: Self.kind)
    }

    private static var kind: Kind {
        switch Value.self {
        case is String.Type: .string
        case is UInt8.Type, is Int8.Type: .bytes1
        case is UInt16.Type, is Int16.Type: .bytes2
        case is UInt32.Type, is Int32.Type: .bytes4
        case is UInt64.Type, is Int64.Type, is UInt.Type, is Int.Type: .bytes8
        case is Bool.Type: .bool
        case is Float.Type: .float
        case is Double.Type: .double
        case is Date.Type: .date
        default: .other
        }
    }

    override func write(at address: UnsafeRawPointer, to buffer: DataBuffer) {
        form.write(address.assumingMemoryBound(to: Value.self).pointee, to: buffer)
    }

    override func read(at address: UnsafeMutableRawPointer, from buffer: DataBuffer) throws {
        address.assumingMemoryBound(to: Value.self).pointee = try form.read(from: buffer)
    }

    override var values: (any AnyValueForm)? { form }

    override func holds(_ value: UnsafeRawPointer, at address: UnsafeRawPointer) -> Bool {
        form.isSame(
            address.assumingMemoryBound(to: Value.self).pointee,
            value.assumingMemoryBound(to: Value.self).pointee)
    }
}
