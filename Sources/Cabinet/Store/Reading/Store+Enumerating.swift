import CabinetBackend

extension Store {
    /// Calls `body` with each object of exactly class `type` once, with its content, in no order.
    ///
    /// Memory stays flat: an object that neither you nor a pending change holds goes before the
    /// next comes. Inside, objects may be edited, inserted and deleted; what is inserted meanwhile
    /// is not met. `save()`, undo, redo and `close()` throw ``StoreError/enumerating`` there;
    /// `rollback()` traps.
    /// - Parameters:
    ///   - type: the class.
    ///   - unreadable: called with the row and the error of a record that cannot be read, in place of `body`.
    ///     The error is what `load()` throws; the store calls the log sink and the delegate, and the record
    ///     stays as it is. Unless it is given, such a record ends the call.
    ///   - body: called with each object.
    /// - Throws: what `body` or `unreadable` throws, and what ``objects(of:unreadable:)`` does.
    public func forEach<Object: StoredObject>(
        _ type: Object.Type,
        unreadable: (_ rowID: RowID, _ error: any Error) throws -> Void = { throw $1 },
        _ body: (Object) throws -> Void
    ) throws {
        let storedClass = try classToRead(type)
        enumerations += 1
        defer { enumerations -= 1 }
        let inserted = overlay.inserted(of: storedClass)
        var met = 0
        defer { storedClass.reads.noteWalk(of: met) }
        let reader = DataBuffer()
        let walk = try records(of: storedClass)
        defer { walk.end() }
        while try walk.next() {
            let run = walk.run
            while let (row, record) = run.next() {
                let found: StoredObject?
                do { found = try meet(record, at: row, of: storedClass, by: reader) } catch {
                    try unreadable(row, error)
                    continue
                }
                guard let object = found else { continue }
                met += 1
                try body(unsafeDowncast(object, to: Object.self))
            }
        }
        for object in inserted where object.state.contains(.inserted) {
            try body(unsafeDowncast(object, to: Object.self))
        }
    }

    /// Calls `body` with the row and the version byte of every saved record of class `type`, in no
    /// order, without making objects. Pending changes do not count.
    public func forEachRecordVersion<Object: StoredObject>(
        _ type: Object.Type, _ body: (_ rowID: RowID, _ version: UInt8, _ bytes: Int) throws -> Void
    ) throws {
        try checkOpen()
        let storedClass = try registered(type)
        let run = RecordRun()
        let cursor = try readerForWalk().records(in: storedClass.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() {
                try body(row, codec.version(of: record, in: storedClass) ?? 0, record.count)
            }
        }
    }
}
