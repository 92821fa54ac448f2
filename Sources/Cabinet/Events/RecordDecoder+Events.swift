import CabinetBackend

/// A record that a row had before a commit.
enum FormerRecord {
    case absent
    case record([UInt8])
    case unknown

    init(_ former: FormerValue) {
        self =
            former.stored.map { .record([UInt8]($0.dropLast(Operation.checksumSize))) } ?? .absent
    }

    /// What a commit has made of a row: a record, or `nil` for none.
    init(_ record: [UInt8]?) { self = record.map(Self.record) ?? .absent }
}

extension RecordDecoder {
    /// What has become of an object; `nil`: nothing.
    func change(
        from old: FormerRecord, to new: FormerRecord, _ row: RowID,
        of storedClass: StoreSchema.Class
    ) throws -> ObjectEvent<StoredObject>.Kind? {
        func fields(_ record: [UInt8]) throws -> [DecodedField]? {
            try record.withUnsafeBytes { try decode($0, row: row, of: storedClass).fields }
        }
        switch (old, new) {
        case (.absent, .absent): return nil
        case (.absent, .record(let new)): return .inserted(try fields(new) ?? [])
        case (.record(let old), .absent): return .deleted(try fields(old) ?? [])
        case (.record(let old), .record(let new)):
            if old == new { return nil }
            guard let before = try fields(old), let now = try fields(new) else {
                return .changed([])
            }
            let changes = FieldChange.changes(from: before, to: now)
            return changes.isEmpty ? nil : .changed(changes)
        case (.unknown, .absent): return .deleted([])
        case (.unknown, .record(let new)): return .written(try fields(new) ?? [])
        case (_, .unknown): return .written([])
        }
    }
}
