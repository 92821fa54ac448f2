import CabinetBackend

extension TokyoBackend {
    /// Stands for a caller that takes the turn for a moment.
    private final class Closer {}

    public func close() throws(BackendError) { try close(abandoning: false) }

    private func close(abandoning: Bool) throws(BackendError) {
        guard process.isCurrent else { return try leave() }
        // What goes on beside saves may wait for the turn: this throws if the caller's thread keeps
        // it, instead of waiting for ever.
        let owner = Closer()
        try turn.take(for: owner)
        turn.giveBack(owner)
        upkeep.cancel()
        // A compaction that goes on sees that and ends.
        upkeep.compacting.withLock {}
        upkeep.settling.withLock {}
        try turn.take(for: owner)
        defer { turn.giveBack(owner) }
        guard !isClosed else { return }
        var failure: BackendError?
        if commitLog.session != nil, !abandoning {
            do throws(BackendError) {
                try closeInOrder()
            } catch {
                // Without its marker the store is recovered when it is opened next.
                failure = error
            }
        }
        lock.writing {
            isClosed = true
            hasClosed.store(true, ordering: .releasing)
            byNumber = []
            window.removeAll()
            draft = nil
            temporary = nil
            copies = nil
            if abandoning { removeTraces() }
            storeLocks = []
            extraLocks = []
        }
        commitLog.close()
        if let failure { throw failure }
    }

    /// Closes a store that its opener cannot use after all. A directory that opening has made,
    /// and to which nothing was saved, goes again. Not for a store that others use already.
    package func abandon() throws(BackendError) {
        let isNew = made?.paths.contains(paths.log) ?? false
        try close(abandoning: isNew && commitLog.lastCommit == 0)
    }

    /// Removes what a store has written to whose directory it has made, and to which nothing was
    /// saved: a first save may have failed half-way. The lock is held meanwhile. What cannot be
    /// removed does no harm.
    private func removeTraces() {
        let marks = (try? ViewTrust.marks(in: paths, files)) ?? [:]
        for (path, mark) in marks where mark.store == commitLog.store { try? files.remove(path) }
        let runs = (try? RunFiles(files: files, directory: paths.root))?.readableHeaders() ?? [:]
        for (path, header) in runs where header.identity.store == commitLog.store {
            try? files.remove(path)
        }
        for name in (try? files.list(paths.log)) ?? [] where paths.log + "/" + name != paths.lock {
            try? files.remove(paths.log + "/" + name)
        }
        // Without it the directory is of no store.
        try? files.remove(paths.lock)
        made?.remove()
    }

    /// Releases what a forked process has of the store: its copies of the lock's descriptors,
    /// which would keep the store locked beyond the end of the process that opened it.
    /// - Throws: ``BackendError/forked(path:)``, the first time.
    private func leave() throws(BackendError) {
        let isFirst = isLeft.withLock { isLeft in
            defer { isLeft = true }
            return !isLeft
        }
        guard isFirst else { return }
        storeLocks = []
        extraLocks = []
        throw .forked(path: location)
    }

    /// Brings everything to the device and then says so.
    private func closeInOrder() throws(BackendError) {
        try commitLog.checkPlace()
        // A marker beside no log would be what is left of a store, not the end of one.
        guard commitLog.current != nil else { return }
        try commitLog.sync(tables: tableStates)
        guard commitLog.fault == nil else { throw .logUnusable(path: location) }
        try commitLog.finish()
        var seals: [ViewSeal] = []
        let states = byNumber.compactMap { $0?.state }
        try lock.writing { () throws(BackendError) in
            for table in byNumber {
                guard let table else { continue }
                seals.append(try close(table))
            }
        }
        copyCatalog()
        try files.syncDirectory(paths.root)
        try files.syncDirectory(paths.log)
        let chain = try SegmentChain(files: files, paths: paths)
        var segments: [CleanMarker.Segment] = []
        for link in chain.links {
            let size = try files.status(of: link.path)?.size ?? 0
            segments.append(CleanMarker.Segment(number: link.number, length: size))
        }
        try CleanMarker(
            store: commitLog.store, lastCommit: commitLog.lastCommit,
            snapshot: chain.snapshotCommit,
            segments: segments, tables: states, views: seals
        ).write(to: files, paths)
    }

    /// Closing does not depend on the copy.
    private func copyCatalog() {
        guard let catalog = table(.catalog), catalog.seal == nil else { return }
        do throws(BackendError) {
            try CatalogCopy(files: files, paths: paths).update()
        } catch {
            log(.notice, "\(paths.catalogCopy) could not be written: \(error)")
        }
    }

    /// Closes a view and brings it to the device, unless nothing has touched it.
    private func close(_ table: Table) throws(BackendError) -> ViewSeal {
        if let seal = table.seal { return seal }
        let path = paths.view(of: table.definition)
        do throws(BackendError) {
            if !table.isReadable { try rebuild([table]) }
            if try !rebuildIfStrange(table) { try rebuildIfDamaged(table) }
            switch table.view {
            case .hash(let file):
                try file.endWriting()
                try file.sync()
                return file.seal()
            case .ordered(let view):
                try Settling.settle(view, upTo: commitLog.lastCommit, files)
                return ViewSeal(size: view.size, count: UInt64(try view.count), sum: nil)
            case .unavailable(let path, let cause):
                throw .viewUnavailable(path: path, cause: cause)
            }
        } catch {
            // What a failed sync leaves in memory is not what is on the device, and only the one
            // may be seen after the other is gone: the file must not be believed again.
            table.view = .unavailable(path: path, cause: "\(error)")
            // Runs are only believed once they were synced.
            if table.kind != .ordered { try? files.remove(path) }
            throw error
        }
    }
}
