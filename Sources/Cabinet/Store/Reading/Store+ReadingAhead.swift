import CabinetBackend

// Over a remote engine, one look-up reads a fault of a list and those that follow on it.
extension Store {
    /// Copies the record of a fault that is touched into `buffer`. `false`: there is none.
    @inline(__always)
    func readRecord(
        ofTouched row: RowID, of storedClass: StoredClass, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        guard let readAhead else { return try readRecord(row, of: storedClass, into: buffer) }
        return try readRecord(row, of: storedClass, into: buffer, with: readAhead)
    }

    @inline(never)
    private func readRecord(
        _ row: RowID, of storedClass: StoredClass, into buffer: DataBuffer,
        with readAhead: ReadAhead
    ) throws(BackendError) -> Bool {
        readAhead.move(to: basis)
        if let record = readAhead.take(row, of: storedClass) {
            buffer.removeAll()
            record.withUnsafeBytes { buffer.writeRawBytes($0) }
            return true
        }
        let rows = readAhead.rows(after: row, of: storedClass) { next in
            guard let object = storedClass.existing(next) else { return !storedClass.isGone(next) }
            return object.state.intersection([.fault, .saved, .deleted]) == [.fault, .saved]
        }
        if rows.isEmpty { return try readRecord(row, of: storedClass, into: buffer) }
        let run = RecordRun(capacity: 4096)
        do throws(BackendError) {
            try reading { reader throws(BackendError) in
                // What does not fit is read when it is touched.
                _ = try reader.values(
                    of: ArraySlice([row] + rows), in: storedClass.table, into: run)
            }
        } catch {
            // Which of them is damaged shows one by one.
            guard case .corrupt = error else { throw error }
            return try readRecord(row, of: storedClass, into: buffer)
        }
        var isThere = false
        while let (found, record) = run.next() {
            if found == row {
                buffer.removeAll()
                buffer.writeRawBytes(record)
                isThere = true
            } else {
                readAhead.put(record, at: found, of: storedClass)
            }
        }
        return isThere
    }
}
