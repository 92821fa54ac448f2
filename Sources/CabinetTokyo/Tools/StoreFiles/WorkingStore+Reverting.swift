import CabinetBackend

extension WorkingStore {
    /// Unpacks the file as it is now into a store of its own, which takes the place of this one: ``backend``
    /// is another one afterwards. The former stays open until ``endFormer()``.
    /// - Parameter use: called with the new backend before anything changes; what it throws ends the revert.
    /// - Returns: what the file has lost, if it is damaged.
    /// - Throws: ``Refusal/standing(_:path:)`` if the file is gone, ``Refusal/noFile``, and as
    ///   ``open(_:in:_:log:reporter:)``; nothing has changed then.
    package func revert(
        _ reporter: (any WorkReporter)? = nil, _ use: (TokyoBackend) throws -> Void = { _ in }
    ) throws -> SalvageReport? {
        try changing.withLock {
            let former = record
            guard !former.path.isEmpty else { throw Refusal.noFile }
            guard try files.status(of: former.path) != nil else {
                throw former.file == nil
                    ? Refusal.noFile : Refusal.standing(.missing, path: former.path)
            }
            var options = Options()
            (options.creates, options.isTransient) = (false, former.isTransient)
            options.durability = durability
            options.keys = state.withLock { $0.keys }
            let opening = WorkingOpening(
                directories: directories, directory: directory, options: options, log: log,
                pace: Pace(reporter))
            let (record, backend, report) = try opening.unpack(former)
            do {
                try use(backend)
                try directory.write(record)
            } catch {
                try? backend.close()
                try? files.removeTree(directory.store(record.generation))
                throw error
            }
            state.withLock { state in
                state = State(
                    record: record, backend: backend, looked: record.base,
                    keys: state.keys, showsMetadata: state.showsMetadata,
                    former: former.generation)
            }
            reporter?.finish()
            return report
        }
    }

    /// Removes the store that ``revert(_:)`` has replaced, after its backend was closed.
    package func endFormer() throws(BackendError) {
        let former = state.withLock { state in
            defer { state.former = nil }
            return state.former
        }
        if let former { try files.removeTree(directory.store(former)) }
    }
}
