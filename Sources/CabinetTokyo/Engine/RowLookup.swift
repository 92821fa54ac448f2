import CabinetBackend

/// Reads the records of rows of a table that are known beforehand, from its hash file. To be used under
/// the lock, and for one call.
struct RowLookup: ~Copyable {
    private let rows: ArraySlice<RowID>
    private let file: HashFile
    private let image: HashImage
    private let form: KeyForm
    private let values: ValueForm
    private let hidesMetadata: Bool
    /// `nil` for few rows.
    private var ahead: RowsAhead?

    /// - Parameters:
    ///   - rows: in the order in which they are going to be read.
    ///   - table: one of records.
    ///   - file: the table's file.
    init(_ rows: ArraySlice<RowID>, in table: Table, _ file: HashFile) {
        (self.rows, self.file, image) = (rows, file, file.image)
        (form, values, hidesMetadata) = (table.keyForm, table.values, table.hidesMetadata)
        ahead = RowsAhead(rows, in: table, file)
    }

    /// Adds the row at `place` and its value to `run`, if the table has it. Places are passed in ascending
    /// order. Returns what is damaged.
    @inline(__always)
    mutating func append(_ place: Int, to run: RecordRun) -> TokyoBackend.Reading<Int>? {
        let row = rows[place]
        if hidesMetadata, row == LegacyMetadata.row { return nil }
        let (finding, keySize) = find(place)
        switch finding {
        case .nothing: return nil
        case .damage(let offset): return .damage(file.path, offset)
        case .value(let content):
            let isDone: Void? = values.withValue(of: content, behindKey: keySize) {
                run.append(row, $0)
            }
            return isDone == nil ? .damage(file.path, image.offset(of: content)) : nil
        }
    }

    /// Whether the table has the row at `place`. Places are passed in ascending order.
    mutating func has(_ place: Int) -> TokyoBackend.Reading<Bool> {
        if hidesMetadata, rows[place] == LegacyMetadata.row { return .done(false) }
        switch find(place).0 {
        case .nothing: return .done(false)
        case .damage(let offset): return .damage(file.path, offset)
        case .value: return .done(true)
        }
    }

    /// Looks the row at `place` up; also returns the size of its key.
    @inline(__always)
    private mutating func find(_ place: Int) -> (HashImage.Finding, Int) {
        if ahead != nil { return ahead?.find(at: place) ?? (.nothing, 0) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            guard let room = room.baseAddress else { return (.nothing, 0) }
            let key = Table.key(of: rows[place], form, in: room)
            return (image.find(key), key.count)
        }
    }
}
