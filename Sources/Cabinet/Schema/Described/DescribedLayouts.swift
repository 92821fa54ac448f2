import CabinetBackend

/// The layouts of a class that a catalog describes: gives all records as of
/// ``StoreSchema/Class/describedFields``.
final class DescribedLayouts: RecordLayouts {
    private let described: StoreSchema.Class
    private let fields: [DescribedField]
    private let decoder: RecordDecoder
    private let unreadable: UnreadableRecord
    /// The rows that were reported.
    private var reported = RowSet()

    init(
        _ described: StoreSchema.Class, _ fields: [DescribedField], in schema: StoreSchema,
        _ unreadable: @escaping UnreadableRecord
    ) {
        self.described = described
        self.fields = fields
        self.unreadable = unreadable
        decoder = RecordDecoder(schema)
        super.init()
        if let last = described.layouts.last,
            zip(fields, described.fields).allSatisfy({ $0.type == $1.form })
        {
            current = last.number
        } else {
            // No record is in the form that is given.
            isUnsaved = true
        }
    }

    override func content(
        of record: UnsafeRawBufferPointer?, at row: RowID, in buffer: DataBuffer
    ) -> RecordContent {
        do throws(StoreError) {
            guard let record else { throw wrongValue(row) }
            buffer.removeAll()
            // What a record of any layout begins with: the field values follow one byte.
            buffer.writeUInt8(0)
            let number = try decoder.rewrite(record, row, of: described, as: fields, to: buffer)
            guard let number else { return passOver(row, nil) }
            // A record of the current layout is asked itself, if it can be.
            guard number != current || isUnsaved || current >= UInt16(Self.escape) else {
                throw wrongValue(row)
            }
        } catch {
            return passOver(row, error)
        }
        return .current(UnsafeRawBufferPointer(buffer.memory))
    }

    private func wrongValue(_ row: RowID) -> StoreError {
        .cannotRead(
            class: described.name, row: row,
            reason: DataBufferError.invalidValue(type: described.name, offset: 0))
    }

    private func passOver(_ row: RowID, _ error: StoreError?) -> RecordContent {
        if !reported.contains(row) {
            reported.insert(row)
            unreadable(described, row, error)
        }
        return .passedOver
    }
}

extension RecordDecoder {
    /// Appends the values of a record as `fields` has them.
    /// - Returns: the number of its layout; `nil` for a record that only its class can read.
    /// - Throws: as ``decode(_:row:of:)``. Some values may have been appended then.
    fileprivate func rewrite(
        _ record: UnsafeRawBufferPointer, _ row: RowID, of storedClass: StoreSchema.Class,
        as fields: [DescribedField], to result: DataBuffer
    ) throws(StoreError) -> UInt16? {
        try withPlaces(in: record, row: row, of: storedClass) {
            layout, places, buffer throws(DataBufferError) in
            let written = layout.fields ?? []
            for field in fields {
                let source = written.firstIndex {
                    $0.name == field.name && $0.form.widens(to: field.type)
                }
                guard let source, written[source].form.isToMany == field.type.isToMany else {
                    result.writeNothing(of: field.type)
                    continue
                }
                buffer.move(to: places[source])
                let target = written[source].relationship?.targetNumber
                if case .one = field.type, target != field.target {
                    result.writeTarget(try buffer.readTarget(target))
                } else {
                    try written[source].form.convert(buffer, to: field.type, result)
                }
            }
        }?.number
    }
}

extension DataBuffer {
    fileprivate func writeNothing(of type: FieldType) {
        switch type {
        case .one: writeNothingRelated()
        case .many:
            writeUInt8(0)
            writeUInt32(0)
        default: writeBool(false)
        }
    }

    /// Reads a relationship to one: the number of the target's class, and its row.
    fileprivate func readTarget(
        _ declared: UInt8?
    ) throws(DataBufferError) -> (number: UInt8, row: UInt32) {
        let isNamed = try readUInt8() != 0
        let number = isNamed ? try readUInt8() : declared ?? 0
        return (number, try readUInt32())
    }

    fileprivate func writeTarget(_ target: (number: UInt8, row: UInt32)) {
        writeUInt8(1)
        writeUInt8(target.number)
        writeUInt32(target.row)
    }
}

extension FieldType {
    fileprivate var isToMany: Bool { if case .many = self { true } else { false } }
}
