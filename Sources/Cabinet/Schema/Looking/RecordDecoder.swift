import CabinetBackend

/// Takes records apart by what the catalog says of them, without any of their classes.
///
/// Whatever the bytes are, the outcome is their content or a typed error. Not `Sendable`: it
/// reuses its memory from record to record.
public final class RecordDecoder {
    /// How many values one record may hold, elements of collections and `Codable` values included:
    /// 4,194,304.
    public static let valueLimit = 1 << 22

    /// The classes whose records the decoder reads.
    public let schema: StoreSchema
    private let className: (UInt8) -> String?
    private let buffer = DataBuffer()
    /// The layouts by number of the class that was asked for last.
    private var layouts: [UInt16: StoreSchema.Layout] = [:]
    private var lastClass: UInt8?
    /// Where targets are looked up. With it, ``decode(_:row:of:)`` leaves those out of
    /// relationships to which deleting one does nothing, as the class does.
    package var targets: (any BackendReader)?

    /// A decoder for records of the classes in `schema`.
    public init(_ schema: StoreSchema) {
        self.schema = schema
        className = { schema[$0]?.name }
    }

    /// The content of `record`, which stands in `row` of a class of the schema, under the names of
    /// ``StoreSchema/Field/name``. Values are copied.
    ///
    /// - Throws: ``StoreError/badCatalog(class:reason:)`` for every record of a class whose layouts
    ///   cannot be understood, ``StoreError/unknownLayout(class:row:number:)``, or
    ///   ``StoreError/cannotRead(class:row:reason:)`` for bytes that are no such record or hold
    ///   more than ``valueLimit`` values.
    public func decode(
        _ record: UnsafeRawBufferPointer, row: RowID, of storedClass: StoreSchema.Class
    ) throws(StoreError) -> DecodedRecord {
        defer { buffer.removeAll() }
        let layout = try begin(record, row, storedClass)
        guard let fields = layout?.fields else {
            let version = layout?.version ?? handWrittenVersion(of: record, storedClass)
            return DecodedRecord(
                layout: layout?.number, version: version, fields: nil, surplusBytes: 0)
        }
        var reader = FieldReader(buffer, className: className, limit: Self.valueLimit)
        var decoded: [DecodedField] = []
        decoded.reserveCapacity(fields.count)
        for field in fields {
            let value = try read(field, &reader, row, storedClass)
            decoded.append(DecodedField(name: field.name, value: present(value, field)))
        }
        return DecodedRecord(
            layout: layout?.number, version: layout?.version, fields: decoded,
            surplusBytes: buffer.remaining)
    }

    /// What the class has of a value: no target that is gone, where nothing takes it out.
    private func present(_ value: FieldValue, _ field: StoreSchema.Field) -> FieldValue {
        guard let targets, let relationship = field.relationship, relationship.inverse == nil,
            relationship.deleteRule != .nullify
        else { return value }
        func present(_ all: [FieldValue.Reference]) -> [FieldValue.Reference] {
            // `nil` where that cannot be told.
            let rows = Dictionary(grouping: all, by: \.classNumber).mapValues {
                some -> Set<RowID>? in
                guard let table = some[0].classNumber.flatMap({ schema[$0]?.table }) else {
                    return nil
                }
                return (try? targets.presentRows(among: some.map(\.row)[...], in: table)).map(
                    Set.init)
            }
            return all.filter { target in
                (rows[target.classNumber] ?? nil).map { $0.contains(target.row) } ?? true
            }
        }
        switch value {
        case .reference(let target): return present([target]).isEmpty ? .none : value
        case .references(let all): return .references(present(all))
        default: return value
        }
    }

    /// Checks that `record` can be read, and returns every reference in it with the index of its
    /// field in the layout. `nil` if only the class can read it.
    ///
    /// - Throws: as ``decode(_:row:of:)``, but a record may hold any number of values.
    func references(
        in record: UnsafeRawBufferPointer, row: RowID, of storedClass: StoreSchema.Class
    ) throws(StoreError) -> [FoundReference]? {
        defer { buffer.removeAll() }
        guard let fields = try begin(record, row, storedClass)?.fields else { return nil }
        var reader = FieldReader(buffer, className: className, limit: nil)
        var found: [FoundReference] = []
        for field in fields {
            _ = try read(field, &reader, row, storedClass)
            for reference in reader.takeReferences() {
                found.append(
                    FoundReference(
                        field: field.name, target: reference,
                        isKept: reference.classNumber.map(field.keptTo.contains) ?? false))
            }
        }
        return found
    }

    /// Calls `body` with the values of `record` under the names of when it was written. `context`
    /// makes objects of its references. `body` must not use the decoder.
    ///
    /// - Throws: what ``decode(_:row:of:)`` does, ``StoreError/handWrittenRecord(class:row:version:)``
    ///   for a record that only its class can read, and what `body` throws.
    func withRawRecord(
        _ record: UnsafeRawBufferPointer, row: RowID, of storedClass: StoreSchema.Class,
        in context: ObjectContext, _ body: (RawRecord) throws -> Void
    ) throws {
        defer { buffer.removeAll() }
        let layout = try begin(record, row, storedClass)
        guard let layout, let fields = layout.fields else {
            throw StoreError.handWrittenRecord(
                class: storedClass.name, row: row,
                version: layout?.version ?? handWrittenVersion(of: record, storedClass) ?? 0)
        }
        let places = try places(of: fields, row, storedClass)
        let entries = fields.indices.map { index in
            RawRecord.Entry(
                name: fields[index].writtenName, type: fields[index].form,
                target: fields[index].relationship?.targetNumber,
                range: places[index]..<places[index + 1])
        }
        buffer.context = context
        buffer.versionOfData = layout.version
        let raw = RawRecord(
            entries, version: layout.version, unconverted: [], className: storedClass.name,
            row: row, buffer)
        defer { raw.end() }
        try body(raw)
    }

    /// Calls `body` with where each field of `record` begins in a buffer, whose position it may move.
    /// - Returns: the layout; `nil` for a record that only its class can read.
    /// - Throws: as ``decode(_:row:of:)``, but a record may hold any number of values.
    func withPlaces(
        in record: UnsafeRawBufferPointer, row: RowID, of storedClass: StoreSchema.Class,
        _ body: (StoreSchema.Layout, [Int], DataBuffer) throws(DataBufferError) -> Void
    ) throws(StoreError) -> StoreSchema.Layout? {
        defer { buffer.removeAll() }
        guard let layout = try begin(record, row, storedClass), let fields = layout.fields else {
            return nil
        }
        let places = try places(of: fields, row, storedClass)
        do { try body(layout, places, buffer) } catch {
            throw .cannotRead(class: storedClass.name, row: row, reason: error)
        }
        return layout
    }

    /// Whether only the class can read `record`, so far as the catalog knows.
    func isHandWritten(
        _ record: UnsafeRawBufferPointer, of storedClass: StoreSchema.Class
    ) -> Bool {
        defer { buffer.removeAll() }
        guard let layout = try? begin(record, 0, storedClass) else {
            return storedClass.problem == nil && storedClass.layouts.isEmpty
        }
        return layout.fields == nil
    }

    struct FoundReference: Hashable, Sendable {
        /// `nil` in a record that was written by hand.
        let field: String?
        let target: FieldValue.Reference
        /// Whether an inverse has kept it right ever since it was written.
        let isKept: Bool
    }

    // MARK: Pieces

    /// Reads what stands before the first field, and finds the layout; `nil` without layouts.
    private func begin(
        _ record: UnsafeRawBufferPointer, _ row: RowID, _ storedClass: StoreSchema.Class
    ) throws(StoreError) -> StoreSchema.Layout? {
        if let problem = storedClass.problem { throw problem }
        if storedClass.layouts.isEmpty { return nil }
        if lastClass != storedClass.number {
            layouts = Dictionary(storedClass.layouts.map { ($0.number, $0) }) { first, _ in first }
            lastClass = storedClass.number
        }
        buffer.borrow(record)
        let number: UInt16
        do {
            let first = try buffer.readUInt8()
            number = first == RecordLayouts.escape ? try buffer.readUInt16() : UInt16(first)
        } catch {
            throw .cannotRead(class: storedClass.name, row: row, reason: error)
        }
        buffer.setOrigin(buffer.position)
        guard let layout = layouts[number] else {
            throw .unknownLayout(class: storedClass.name, row: row, number: number)
        }
        return layout
    }

    /// Where each field of the record that was begun starts, and where the last one ends.
    private func places(
        of fields: [StoreSchema.Field], _ row: RowID, _ storedClass: StoreSchema.Class
    ) throws(StoreError) -> [Int] {
        var places = [buffer.position]
        places.reserveCapacity(fields.count + 1)
        do {
            for field in fields {
                try field.form.skip(in: buffer)
                places.append(buffer.position)
            }
        } catch {
            throw .cannotRead(class: storedClass.name, row: row, reason: error)
        }
        return places
    }

    private func read(
        _ field: StoreSchema.Field, _ reader: inout FieldReader, _ row: RowID,
        _ storedClass: StoreSchema.Class
    ) throws(StoreError) -> FieldValue {
        do {
            return try reader.read(field.form, field.relationship)
        } catch {
            throw .cannotRead(class: storedClass.name, row: row, reason: error)
        }
    }

    /// The version of a record of a class without layouts.
    private func handWrittenVersion(
        of record: UnsafeRawBufferPointer, _ storedClass: StoreSchema.Class
    ) -> UInt8? {
        switch schema.versioning {
        case .perInstance: record.first
        case .perClass: storedClass.version
        case nil: nil
        }
    }
}
