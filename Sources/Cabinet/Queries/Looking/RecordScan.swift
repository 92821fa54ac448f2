import CabinetBackend

/// Looks at records for a query, all of them or those that an index leads to.
struct RecordScan {
    typealias Found = (row: RowID, keys: [FieldValue])
    typealias Unreadable = (RowID, StoreError?) -> Void

    let storedClass: StoreSchema.Class
    let backend: any BackendReader
    let decoder: RecordDecoder
    /// What a record is sorted by; `nil` if it is not wanted.
    let keys: ([DecodedField]) -> [FieldValue]?
    /// The records that are wanted.
    var found: [Found] = []
    /// How many were looked at.
    private(set) var looked = 0

    init(
        storedClass: StoreSchema.Class, backend: any BackendReader, decoder: RecordDecoder,
        keys: @escaping ([DecodedField]) -> [FieldValue]?
    ) {
        self.storedClass = storedClass
        self.backend = backend
        self.decoder = decoder
        self.keys = keys
    }

    mutating func lookAtAll(_ unreadable: Unreadable) throws {
        let run = RecordRun()
        let cursor = try backend.records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() { look(at: record, row, unreadable) }
        }
    }

    /// Returns whether the records were met in the order of the query, and no more of them than needed.
    mutating func look(
        along path: RecordIndexPath, wanted: Int?, _ unreadable: Unreadable
    ) throws -> Bool {
        if path.isDescending != nil {
            var scan = self
            let isInOrder = try path.forEachGroup(in: backend) { rows in
                try scan.look(at: rows, unreadable)
                return wanted.map { scan.found.count < $0 } ?? true
            }
            if isInOrder {
                self = scan
                return true
            }
        }
        try look(at: try path.rows(in: backend).sorted(), unreadable)
        return false
    }

    private mutating func look(at rows: [RowID], _ unreadable: Unreadable) throws {
        let run = RecordRun()
        var left = rows[...]
        while !left.isEmpty {
            let count = try backend.values(of: left, in: storedClass.table, into: run)
            left = left.dropFirst(count)
            while let (row, record) = run.next() { look(at: record, row, unreadable) }
        }
    }

    private mutating func look(
        at record: UnsafeRawBufferPointer, _ row: RowID, _ unreadable: Unreadable
    ) {
        looked += 1
        do throws(StoreError) {
            let decoded = try decoder.decode(record, row: row, of: storedClass)
            guard let fields = decoded.fields else { return unreadable(row, nil) }
            if let keys = keys(fields) { found.append((row, keys)) }
        } catch {
            unreadable(row, error)
        }
    }
}
