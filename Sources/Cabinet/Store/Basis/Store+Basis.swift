import CabinetBackend

/// What a store reads from.
///
/// While it is alone, that is the backend: only its own commits change it. As soon as another store
/// may commit, it reads from a reader that is frozen at its basis, so it never mixes two commits.
extension Store {
    /// What reads go to. Between this call and a read, another store may be opened and commit: see
    /// ``readRecord(_:of:into:)``.
    @inline(__always)
    var reader: any BackendReader {
        if let frozen { return frozen }
        if slot.isShared { return beginSharing() }
        SchedulePoint.read.pass()
        return backend
    }

    /// What a walk goes over: a reader that no commit changes, if the engine has such.
    func readerForWalk() throws(BackendError) -> any BackendReader {
        if let frozen { return frozen }
        guard isIsolated, !slot.isShared else { return reader }
        let alone = try backend.snapshot(label: slot.label)
        // Another store may have committed just before.
        return slot.isShared ? beginSharing() : alone
    }

    /// Copies the record of `row` into `buffer`. `false`: there is none.
    @inline(__always)
    func readRecord(
        _ row: RowID, of storedClass: StoredClass, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        guard let frozen else {
            SchedulePoint.read.pass()
            let isThere = try backend.value(of: row, in: storedClass.table, into: buffer)
            // If another store was opened meanwhile, it may be its record.
            guard slot.isShared else { return isThere }
            return try beginSharing().value(of: row, in: storedClass.table, into: buffer)
        }
        return try frozen.value(of: row, in: storedClass.table, into: buffer)
    }

    /// Reads as of the basis. `body` may be called twice: another store may commit meanwhile.
    func reading<Result>(
        _ body: (any BackendReader) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        let isFrozen = frozen != nil
        let result = try body(reader)
        guard !isFrozen, slot.isShared || frozen != nil else { return result }
        return try body(reader)
    }

    /// Whether there is a record in `row`, damaged or not. It is not read.
    func hasSavedRecord(
        _ row: RowID, of storedClass: StoredClass
    ) throws(BackendError) -> Bool {
        try reading { reader throws(BackendError) in
            try !reader.presentRows(among: [row], in: storedClass.table).isEmpty
        }
    }

    @inline(never)
    private func beginSharing() -> any BackendReader {
        // No reader could be made, and the other store was not opened.
        guard let reader = slot.takeReader() else { return backend }
        frozen = reader
        return reader
    }

    /// The store reads as of the last commit, or as of the one that it was frozen at.
    func noteFirstBasis() throws(BackendError) {
        basis = try reader.lastCommit()
        // Another store may have been opened, and have committed, just before.
        if frozen == nil, slot.isShared { basis = try reader.lastCommit() }
    }

    /// The store has made the commit `number`, and is to read as of it, or of a later one.
    ///
    /// - Parameter reader: one that was frozen with the commit.
    func noteCommit(_ number: CommitNumber, _ reader: (any BackendReader)? = nil) {
        if frozen == nil, !slot.isShared {
            basis = number
            return
        }
        guard isIsolated else { return }
        do { try moveBasis(except: number, to: reader) } catch {
            // The commit stands.
            log(
                .warning,
                "What other stores have saved could not be found out (\(error)). All objects are read "
                    + "again when they are next touched.")
            takeAllForChanged(reader)
        }
    }

    /// Reads as of the last commit from now on, without knowing what has changed up to it. If that
    /// fails too, reads stay as of the former basis, and the next save or advance takes up what was
    /// saved since.
    private func takeAllForChanged(_ reader: (any BackendReader)?) {
        guard let newest = try? reader ?? backend.snapshot(label: slot.label),
            let number = try? newest.lastCommit()
        else { return }
        let definitions = codec.versioning == .perClass ? (try? newest.tables()) ?? [] : []
        let newer = Newer(
            reader: newest, number: number, changes: .unknown, definitions: definitions)
        let taking = TakingUp(newer, in: self)
        taking.takeAllForChanged()
        moveBasis(taking, keepingConflicts: true)
    }

    /// Reads as of `reader`, which is frozen at `number`, or as of now if no other store is open.
    func setBasis(_ reader: any BackendReader, _ number: CommitNumber) {
        _ = self.reader
        frozen = reader
        basis = number
        if !backend.hasOtherWriters, hub.endSharing(slot, at: number, of: backend) { frozen = nil }
    }
}
