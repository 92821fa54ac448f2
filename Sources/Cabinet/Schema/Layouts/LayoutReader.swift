import CabinetBackend

/// Reads records of one earlier layout into objects of today's class, field by field. Fields that
/// the layout lacks have their initial value; those that the class lacks are passed over.
final class LayoutReader {
    private enum Step {
        case read(FieldTable.Entry)
        case convert(FieldTable.Entry)
        case skip
    }

    private let fields: [Layout.Field]
    private let version: UInt8
    private unowned let storedClass: StoredClass
    private var steps: [Step] = []
    /// Fields whose values no field of the class can take.
    private var unconverted: [RawRecord.Unconverted] = []
    /// Whether some field of the class is not in the layout.
    private var isIncomplete = false

    /// - Parameter sources: for each field of the class the index of its origin in `fields`.
    init(
        _ fields: [Layout.Field], version: UInt8, of storedClass: StoredClass, sources: [Int?]
    ) {
        self.fields = fields
        self.version = version
        self.storedClass = storedClass
        isIncomplete = sources.contains(nil)
        for (index, field) in fields.enumerated() {
            let address = sources.firstIndex(of: index)
            steps.append(step(for: field, address.map { storedClass.fields.entries[$0] }))
        }
    }

    private func step(for field: Layout.Field, _ entry: FieldTable.Entry?) -> Step {
        guard let entry else {
            // A class that writes by hand must say itself what becomes of its declared past.
            if !storedClass.isDeclared {
                unconverted.append(.init(field: field.name, from: field.type))
            }
            return .skip
        }
        if field.type == entry.coder.type || field.type.isRelation && entry.coder.type.isRelation,
            field.type.widens(to: entry.coder.type)
        {
            return .read(entry)
        }
        if field.type.widens(to: entry.coder.type) { return .convert(entry) }
        unconverted.append(.init(field: field.name, from: field.type, to: entry.coder.type))
        isIncomplete = true
        return .skip
    }

    /// Reads a record. For one of a newer layout, ``StoredObject/upgrade(from:)`` is not called: a
    /// value that no field of the class can take is refused.
    ///
    /// - Parameter completing: what is to be done before the class's own `upgrade(from:)`, which
    ///   then sees the object as it is otherwise.
    func read(
        into object: StoredObject, from buffer: DataBuffer, isNewer: Bool,
        completing: () throws -> Void
    ) throws {
        // The object may have had other content.
        if isIncomplete { storedClass.context.blank(object) }
        var entries: [RawRecord.Entry] = []
        entries.reserveCapacity(fields.count)
        for (field, step) in zip(fields, steps) {
            let start = buffer.position
            switch step {
            case .read(let entry): try read(field, entry, into: object, from: buffer)
            case .convert(let entry): try convert(field, entry, into: object, from: buffer)
            case .skip: try field.type.skip(in: buffer)
            }
            entries.append(
                .init(
                    name: field.name, type: field.type, target: field.class,
                    range: start..<buffer.position))
        }
        let record = RawRecord(
            entries, version: version, unconverted: unconverted, className: storedClass.name,
            row: object.rowID, buffer)
        defer { record.end() }
        try completing()
        if isNewer {
            try record.refuseUnconverted()
        } else {
            try storedClass.context.upgrade(object) { try object.upgrade(from: record) }
        }
    }

    private func read(
        _ field: Layout.Field, _ entry: FieldTable.Entry, into object: StoredObject,
        from buffer: DataBuffer
    ) throws {
        let address = Unmanaged.passUnretained(object).toOpaque() + entry.offset
        guard let relation = entry.coder as? RelationCoder else {
            return try entry.coder.read(at: address, from: buffer)
        }
        let target = field.class.flatMap { storedClass.context.classesByNumber[Int($0)] }
        if case .one = field.type {
            let other = try buffer.readRelated(of: target, by: relation)
            relation.set(other.map { [$0] } ?? [], at: address)
        } else {
            relation.set(try buffer.readAllRelated(of: target, by: relation), at: address)
        }
    }

    private func convert(
        _ field: Layout.Field, _ entry: FieldTable.Entry, into object: StoredObject,
        from buffer: DataBuffer
    ) throws {
        let converted = DataBuffer()
        converted.mode = buffer.mode
        try field.type.convert(buffer, to: entry.coder.type, converted)
        if let error = converted.writeError { throw error }
        let address = Unmanaged.passUnretained(object).toOpaque() + entry.offset
        try entry.coder.read(at: address, from: converted)
    }
}

extension FieldType {
    var isRelation: Bool {
        switch self {
        case .one, .many: true
        default: false
        }
    }
}
