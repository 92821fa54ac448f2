import CabinetBackend

extension Store {
    /// Ends the use of the store: drops pending changes, of which a message warns, makes every object
    /// plain (it keeps its values, or initial ones if it was never read), and closes the backend, unless
    /// another store is open over it. Closing again does nothing. ``rollback()`` drops them without a word.
    ///
    /// - Throws: ``StoreError/enumerating`` or ``StoreError/stepUnderWay``, and the store stays
    ///   open; or what the backend throws when it brings its files to rest, and the store is closed
    ///   all the same. Acknowledged saves are safe.
    public func close() throws {
        if isClosed { return }
        try checkIdle()
        tellOfUnsaved()
        try end()
    }

    /// Closes the store after an error that its caller throws: as ``close()``, without a message.
    func abandon() throws {
        if isClosed { return }
        try checkIdle()
        try end()
    }

    private func end() throws {
        isClosed = true
        backgroundSave = nil
        releaseObjects()
        pendingNames.removeAll()
        refusal = nil
        spareBatch = nil
        conflicting = [:]
        frozen = nil
        participants = []
        watchers?.storeDidClose()
        guard leaveHub() else { return }
        defer { hub.noteClosed() }
        try backend.close()
    }

    /// What reading has upgraded is made again when it is read again.
    func tellOfUnsaved() {
        if isSnapshot, !upgradedContents.isEmpty { return }
        let count = changes.pendingCount - upgradedContents.count + pendingNames.count
        guard count > 0 else { return }
        let what = count == 1 ? "one change" : "\(count) changes"
        log(.warning, "A store was closed without saving \(what): gone.")
    }

    func releaseObjects() {
        lists.bringAllBack()
        for case let storedClass? in classesByNumber { storedClass.releaseAll() }
        changes.removeAll()
        heapGrowth = HeapGrowth()
        forgetEdits()
    }
}
