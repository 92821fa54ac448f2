import CabinetBackend
import Foundation

/// The declared fields of one class, inherited ones first, and how they become a record.
final class FieldTable {
    struct Entry {
        let name: String
        /// The names that it had in earlier programs, the latest first.
        let formerNames: [String]
        let coder: FieldCoder
        let offset: Int
    }

    let entries: [Entry]
    let relations: [RelationCoder]
    let hasLists: Bool
    /// Where the fields lie whose bytes may be kept beside their object.
    let keepingOffsets: [Int]
    /// Whether the class leaves writing to the table.
    let writesContent: Bool

    /// What the hot loops need of an entry.
    private struct Step {
        let offset: Int
        let kind: FieldCoder.Kind
        let isList: Bool
        // Not `unowned(unsafe)`, which counts references each time it is read.
        let coder: Unmanaged<FieldCoder>
    }
    private let steps: UnsafeMutableBufferPointer<Step>

    /// Looks at one object of class `type`, made for the purpose.
    /// - Throws: ``StoreError/cannotStore(class:field:reason:)``
    convenience init(_ type: StoredObject.Type) throws(StoreError) {
        let (object, declarations) = DeclarationRecorder.probe(type)
        let entries = try Self.describe(type, declarations)
        self.init(
            entries,
            writesContent: !entries.isEmpty && AutomaticContentProbe.isWritten(by: object))
    }

    init(_ entries: [Entry], writesContent: Bool) {
        self.entries = entries
        self.writesContent = writesContent
        relations = entries.compactMap { $0.coder as? RelationCoder }
        hasLists = relations.contains(where: \.isMany)
        keepingOffsets = entries.filter { $0.coder is KeepingCoder }.map(\.offset)
        steps = .allocate(capacity: entries.count)
        for (index, entry) in entries.enumerated() {
            steps.initializeElement(
                at: index,
                to: Step(
                    offset: entry.offset, kind: entry.coder.kind,
                    isList: entry.coder is ManyCoder,
                    coder: .passUnretained(entry.coder)))
        }
    }

    deinit { steps.deallocate() }

    private static func describe(
        _ type: StoredObject.Type, _ declarations: [FieldDeclaration]
    ) throws(StoreError) -> [Entry] {
        var unclaimed = declarations
        var levels: [[Entry]] = []
        var isKnown = true
        for level in DeclaredProperty.levels(of: type) {
            var entries: [Entry] = []
            for property in level ?? [] {
                entries.append(try describe(property, of: type, &unclaimed))
            }
            isKnown = isKnown && level != nil
            levels.append(entries)
        }
        guard isKnown || unclaimed.isEmpty else {
            throw .cannotStore(
                class: "\(type)", field: "",
                reason: "where its properties lie in memory cannot be known")
        }
        let entries = levels.reversed().flatMap { $0 }
        for (index, entry) in entries.enumerated() {
            guard !entries[..<index].contains(where: { $0.name == entry.name }) else {
                throw .cannotStore(
                    class: "\(type)", field: entry.name,
                    reason: "a superclass has a field of that name")
            }
        }
        return entries
    }

    private static func describe(
        _ property: DeclaredProperty, of type: StoredObject.Type,
        _ unclaimed: inout [FieldDeclaration]
    ) throws(StoreError) -> Entry {
        let address = unclaimed.firstIndex { $0.wrapper == property.wrapper }
        let declaration = address.map { unclaimed.remove(at: $0) }
        // A field that was made elsewhere and put here has declared nothing.
        let wrapper = declaration?.wrapper ?? property.wrapper as? any DeclaredField.Type
        guard let coder = wrapper?.makeCoder(declaration) else {
            throw .cannotStore(
                class: "\(type)", field: property.name,
                reason: "its type has no stored form (other objects are @One or @Many)")
        }
        if let relation = coder as? RelationCoder {
            (relation.name, relation.offset) = (property.name, property.offset)
        }
        if let keeping = coder as? KeepingCoder {
            (keeping.name, keeping.offset) = (property.name, property.offset)
        }
        return Entry(
            name: property.name, formerNames: declaration?.formerNames ?? [], coder: coder,
            offset: property.offset)
    }

    /// Calls `body` with each of ``relations``, which the table holds: no references are counted.
    @inline(__always)
    func forEachRelation(_ body: (RelationCoder) throws -> Void) rethrows {
        try relations.withUnsafeBufferPointer { relations in
            guard let first = relations.baseAddress else { return }
            let held = UnsafeRawPointer(first).assumingMemoryBound(
                to: Unmanaged<RelationCoder>.self)
            for index in 0..<relations.count { try held[index]._withUnsafeGuaranteedRef(body) }
        }
    }

    func relation(at offset: Int) -> RelationCoder? {
        relations.withUnsafeBufferPointer { relations in
            guard let first = relations.baseAddress else { return nil }
            // The table holds them: no references are counted.
            let held = UnsafeRawPointer(first).assumingMemoryBound(
                to: Unmanaged<RelationCoder>.self)
            for index in 0..<relations.count
            where held[index]._withUnsafeGuaranteedRef({ $0.offset == offset }) {
                return held[index].takeUnretainedValue()
            }
            return nil
        }
    }

    // MARK: Records

    func write(_ object: StoredObject, to buffer: DataBuffer) {
        let base = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        for step in steps { Self.write(step, at: base + step.offset, to: buffer) }
        withExtendedLifetime(object) {}
    }

    func read(into object: StoredObject, from buffer: DataBuffer) throws {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for step in steps { try Self.read(step, at: base + step.offset, from: buffer) }
        withExtendedLifetime(object) {}
    }

    /// Whether the field at `address`, which lies `offset` bytes into its object, holds the value
    /// at `value` already. `false` where that cannot be known. Common forms are compared by their
    /// bits, others by `==` and by what would be stored.
    func holds(
        _ value: UnsafeRawPointer, at address: UnsafeRawPointer, offset: Int
    ) -> Bool {
        var index = 0
        while index < steps.count, steps[index].offset != offset { index += 1 }
        guard index < steps.count else { return false }
        func isSame<Bits: Equatable>(_ type: Bits.Type) -> Bool {
            address.value(type) == value.value(type)
        }
        return switch steps[index].kind {
        case .string: address.value(String.self).isStored(as: value.value(String.self))
        case .bytes1: isSame(UInt8.self)
        case .bytes2: isSame(UInt16.self)
        case .bytes4, .float: isSame(UInt32.self)
        case .bytes8, .double: isSame(UInt64.self)
        case .bool: isSame(Bool.self)
        case .date:
            address.value(Date.self).timeIntervalSinceReferenceDate.bitPattern
                == value.value(Date.self).timeIntervalSinceReferenceDate.bitPattern
        case .other:
            steps[index].coder._withUnsafeGuaranteedRef { $0.holds(value, at: address) }
        }
    }

    /// Appends all fields of `object` but those that hold lists of objects.
    func writeValues(_ object: StoredObject, to buffer: DataBuffer) {
        let base = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        for step in steps where !step.isList {
            Self.write(step, at: base + step.offset, to: buffer)
        }
        withExtendedLifetime(object) {}
    }

    func readValues(into object: StoredObject, from buffer: DataBuffer) throws {
        let base = Unmanaged.passUnretained(object).toOpaque()
        for step in steps where !step.isList {
            try Self.read(step, at: base + step.offset, from: buffer)
        }
        withExtendedLifetime(object) {}
    }

    @inline(__always)
    private static func write(
        _ step: Step, at address: UnsafeRawPointer, to buffer: DataBuffer
    ) {
        switch step.kind {
        case .string: buffer.writeString(address.value(String.self))
        case .bytes1: buffer.writeUInt8(address.value(UInt8.self))
        case .bytes2: buffer.writeUInt16(address.value(UInt16.self))
        case .bytes4: buffer.writeUInt32(address.value(UInt32.self))
        case .bytes8: buffer.writeUInt64(address.value(UInt64.self))
        case .bool: buffer.writeBool(address.value(Bool.self))
        case .float: buffer.writeFloat(address.value(Float.self))
        case .double: buffer.writeDouble(address.value(Double.self))
        case .date: buffer.writeDate(address.value(Date.self))
        case .other: step.coder._withUnsafeGuaranteedRef { $0.write(at: address, to: buffer) }
        }
    }

    @inline(__always)
    private static func read(
        _ step: Step, at address: UnsafeMutableRawPointer, from buffer: DataBuffer
    ) throws {
        switch step.kind {
        case .string: address.set(try buffer.readString())
        case .bytes1: address.set(try buffer.readUInt8())
        case .bytes2: address.set(try buffer.readUInt16())
        case .bytes4: address.set(try buffer.readUInt32())
        case .bytes8: address.set(try buffer.readUInt64())
        case .bool: address.set(try buffer.readBool())
        case .float: address.set(try buffer.readFloat())
        case .double: address.set(try buffer.readDouble())
        case .date: address.set(try buffer.readDate())
        case .other:
            try step.coder._withUnsafeGuaranteedRef { try $0.read(at: address, from: buffer) }
        }
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    fileprivate func value<Value>(_ type: Value.Type) -> Value {
        assumingMemoryBound(to: Value.self).pointee
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    fileprivate func set<Value>(_ value: Value) {
        assumingMemoryBound(to: Value.self).pointee = value
    }
}

extension String {
    /// Whether both are the same bytes: equal texts may be written in different ways.
    fileprivate func isStored(as other: String) -> Bool {
        if utf8.count != other.utf8.count { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { one.elementsEqual($0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
