import CabinetBackend

/// The target of a relationship to one, as records and keys have it: to conditions, indexes and
/// groups its value, which is compared without an object. `nil` of it stands for no target.
struct TargetRow: Hashable, Sendable {
    let classNumber: UInt8
    let row: RowID

    init(classNumber: UInt8, row: RowID) { (self.classNumber, self.row) = (classNumber, row) }

    /// `nil` for an object outside a store.
    init?(_ object: StoredObject) {
        guard let classReference = object.classReference else { return nil }
        classNumber = classReference._withUnsafeGuaranteedRef { $0.number }
        row = object.rowID
    }
}

extension TargetRow {
    /// Whether one object comes before another one in the order of classes and rows, `nil` first.
    static func isBefore(_ one: StoredObject?, _ other: StoredObject?) -> Bool {
        number(one) < number(other)
    }

    private static func number(_ object: StoredObject?) -> UInt64 {
        object.flatMap { TargetRow($0) }
            .map { UInt64($0.classNumber) << 32 | UInt64($0.row.rawValue) } ?? 0
    }
}

extension TargetRow: IndexedValue {
    func write(to key: inout OrderedKeyBuilder) {
        key.appendReference(toRow: row, ofClass: classNumber)
    }
}

extension TargetRow: CustomStringConvertible {
    var description: String { "row \(row)" }
}

/// The form of a relationship to one in records: see
/// ``DataBuffer/writeRelated(_:of:keepingGone:)-(StoredObject?,_,_)``.
final class TargetForm: AnyValueForm {
    let coder: OneCoder
    /// How many bytes a record has of a relationship at least.
    static let leastSize = 5
    private static let anyClass: UInt8 = 1

    init(_ coder: OneCoder) { self.coder = coder }

    var valueType: Any.Type { TargetRow?.self }

    func readAny(from buffer: DataBuffer) throws(DataBufferError) -> Any {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer.memory[buffer.position...])
        guard bytes.count >= Self.leastSize, let start = bytes.baseAddress,
            let target = read(start, bytes.count)
        else {
            throw .invalidValue(type: "relationship", offset: buffer.position)
        }
        return target as Any
    }

    func writeAny(_ value: Any, to buffer: DataBuffer) -> Bool { false }

    /// The target in the bytes of a record; `nil` if it is not known, `.some(nil)` for no target.
    @inline(__always)
    func read(_ bytes: UnsafeRawPointer, _ count: Int) -> TargetRow?? {
        let isNamed = bytes.load(as: UInt8.self) == Self.anyClass
        if isNamed, count <= Self.leastSize { return nil }
        let place = isNamed ? 2 : 1
        let number = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        let row = RowID(UInt32(littleEndian: number))
        if row == .none { return .some(nil) }
        if isNamed {
            return TargetRow(classNumber: bytes.load(fromByteOffset: 1, as: UInt8.self), row: row)
        }
        return coder.target.map { TargetRow(classNumber: $0.number, row: row) }
    }

    func accepts(_ storedClass: StoredClass) -> Bool { coder.accepts(storedClass) }

    /// Whether records and keys may have targets that are gone, or that the next save removes.
    var mayDangle: Bool { coder.isLoose }

    /// Whether `object`, which stands in the relationship, counts as none.
    fileprivate func isGone(_ object: StoredObject) -> Bool {
        object.state.contains(.deleted) && (coder.isLoose || !object.state.contains(.saved))
    }

    /// Whether the next save does not write `object`, which stands in the relationship.
    fileprivate func isLeftOut(_ object: StoredObject) -> Bool {
        object.isPassedOver(asWritten: coder.isLoose)
    }
}

extension ClassFields.Field {
    /// The form of the field if it is a relationship to one; `nil` for any other.
    var targets: TargetForm? { form as? TargetForm }
}

extension RowCursor {
    /// The target as the next save writes it, or as it is written: also one that is gone since.
    @inline(__always)
    func writtenTarget(_ field: ClassFields.Field, _ form: TargetForm) throws -> TargetRow? {
        // Of a record, what it says counts, also where the next save deletes the target.
        try target(field, form) { !isOfRecords && form.isLeftOut($0) }
    }

    /// The target of a relationship to one; `nil` for one that is gone.
    @inline(__always)
    func target(_ field: ClassFields.Field, _ form: TargetForm) throws -> TargetRow? {
        let found = try target(field, form, except: form.isGone)
        if let found, !isInMemory, isGone(found, form) { return nil }
        return found
    }

    @inline(__always)
    private func target(
        _ field: ClassFields.Field, _ form: TargetForm, except isLeftOut: (StoredObject) -> Bool
    ) throws -> TargetRow? {
        func inMemory(_ memory: UnsafeRawPointer) -> TargetRow? {
            guard let object = memory.assumingMemoryBound(to: StoredObject?.self).pointee,
                !isLeftOut(object)
            else { return nil }
            return TargetRow(object)
        }
        let found = try read(
            field.index, offset: field.offset, size: TargetForm.leastSize,
            inMemory: { TargetRow??.some(inMemory($0)) }, inRecord: { form.read($0, $1) })
        if let found { return found }
        // Reading the object says what is wrong.
        return TargetRow.init(try object(), at: field.offset)
    }

    func isGone(_ target: TargetRow, _ form: TargetForm) -> Bool {
        fields.storedClass.withContext { $0.isGone(target, form) }
    }

    /// The object that ``target(_:_:)`` gives: one that is not in memory becomes a fault.
    /// - Throws: ``StoreError/classNotRegistered(_:)``, ``StoreError/wrongClass(expected:found:)``
    func object(_ target: TargetRow, _ form: TargetForm) throws -> StoredObject? {
        let context = fields.storedClass.context
        let storedClass = try context.registered(number: target.classNumber)
        try form.check(storedClass)
        return storedClass.listedObject(at: target.row)
    }
}

extension ObjectContext {
    /// Whether a target is gone that stands in a relationship of that form.
    func isGone(_ target: TargetRow, _ form: TargetForm) -> Bool {
        guard let storedClass = classesByNumber[Int(target.classNumber)] else { return false }
        if storedClass.liveObjects > 0, let object = storedClass.existing(target.row) {
            if form.isGone(object) { return true }
            guard form.mayDangle, object.state.contains(.fault) else { return false }
        } else if storedClass.isGone(target.row) {
            return true
        }
        return form.mayDangle && !hasRecord(target.row, of: storedClass)
    }
}

extension TargetForm {
    fileprivate func check(_ storedClass: StoredClass) throws(StoreError) {
        try coder.check(storedClass)
    }
}

extension TargetRow {
    /// What stands in the relationship of an object that lies at `offset`.
    fileprivate init?(_ owner: StoredObject, at offset: Int) {
        let memory = UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque()) + offset
        guard let object = memory.assumingMemoryBound(to: StoredObject?.self).pointee else {
            return nil
        }
        self.init(object)
    }
}
