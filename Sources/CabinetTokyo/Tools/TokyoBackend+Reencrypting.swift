#if Encryption
    import CabinetBackend
    import Foundation

    extension TokyoBackend {
        /// Writes the store anew under a new data key: what was sealed by the former one can then be opened by
        /// nobody, though the former file of keys was read and a key that opened it is known. Give the store
        /// another key before (``rotateKey(to:)``).
        ///
        /// Saves and reads go on beside it; they wait while a single table is laid out, or a segment of the log sealed. It takes disk space for the
        /// whole store twice, and is to be called again after a crash or a throw: then both data keys are there,
        /// and what is sealed by either is read. The key for names, by which names of a store are made codes, stays.
        /// Followers that are open take up the new key unless the user's key was changed since: then they throw
        /// `.wrongKey` when they refresh, and go on with what they have.
        ///
        /// - Throws: `BackendError`: `.notEncrypted`, `.readOnly`, `.corrupt` for what cannot be read; or
        ///   `CancellationError`.
        public func reencrypt(progress: Progress? = nil) async throws {
            try checkWritable()
            try await Pace.run(ProgressReporter(progress)) { pace in
                guard let sealer = self.files.sealer as? SodiumSealer else {
                    throw BackendError.notEncrypted(path: self.location)
                }
                // No copy of the store is made with keys of one moment and pieces of another.
                try self.upkeep.compacting.withLock { try self.reencrypt(sealer, pace) }
            }
        }

        private func reencrypt(_ sealer: SodiumSealer, _ pace: Pace) throws {
            try withTurn { () throws(BackendError) in
                guard sealer.keys.data.count == 1 else { return }
                guard let keys = sealer.keys.withNewKey() else {
                    throw KeyFile.noMemory(commitLog.paths.key)
                }
                try write(keys, in: sealer.wrapper.withLock { $0 })
                // No frame of before is written to another segment any more.
                try commitLog.sync(tables: tableStates)
                // From here on it seals.
                sealer.add(keys)
            }
            if lastVisible > 0 { try writeAnew(pace) }
            try resealKept(sealer, pace)
            try withTurn { () throws(BackendError) in
                try write(sealer.keys.withNewestOnly, in: sealer.wrapper.withLock { $0 })
                sealer.forgetOlder()
            }
        }

        /// Replaces all files in which something is sealed.
        private func writeAnew(_ pace: Pace) throws {
            pace.expect(try operationEstimate())
            var known: UInt64 = 0
            _ = try compactAlone(
                evenIfCurrent: true,
                progress: { progress in
                    pace.advance(progress.read + progress.written - known)
                    known = progress.read + progress.written
                }, isCancelled: { pace.isStopped })
            try checkPace(pace)
            for number in lock.reading({ byNumber.compactMap { $0?.number } }) {
                try checkPace(pace)
                try layOutAnew { $0.number == number }
            }
            try removeUnneeded()
            let catalogCopy = commitLog.paths.catalogCopy
            if try files.status(of: catalogCopy) != nil { try files.remove(catalogCopy) }
        }

        /// Seals the commits anew that the log keeps for names of the feed.
        private func resealKept(_ sealer: SodiumSealer, _ pace: Pace) throws {
            let maker = SegmentMaker(files: files, paths: commitLog.paths)
            for link in try SegmentChain(files: files, paths: commitLog.paths).kept {
                try checkPace(pace)
                // It must not go meanwhile, when a reader of the feed has taken it up.
                try withTurn { () throws(BackendError) in
                    guard try files.status(of: link.path) != nil else { return }
                    try maker.reseal(link.number, upTo: link.limit, commitLog.store, by: sealer)
                }
            }
        }

        /// Writes the file of keys; with the turn.
        func write(_ keys: DataKeys, in wrapper: KeyFile.Wrapper?) throws(BackendError) {
            let paths = commitLog.paths
            guard let wrapper else { throw .notEncrypted(path: location) }
            try KeyFile(keys, in: wrapper, path: paths.key)
                .write(to: paths.key, in: paths.log, files)
        }

        /// Calls `body` with the writer's turn while the store is open.
        func withTurn<Result>(
            _ body: () throws(BackendError) -> Result
        ) throws(BackendError) -> Result {
            let owner = KeyChange()
            try turn.take(for: owner)
            defer { turn.giveBack(owner) }
            try lock.reading { () throws(BackendError) in try checkOpen() }
            return try body()
        }

        /// Stands for a caller that takes the turn for a moment.
        private final class KeyChange {}
    }
#endif
