import CabinetBackend

/// What has become of the commits that a reader of the feed is to read.
enum Keeping {
    /// All are there from where it goes on.
    case kept
    /// None were kept, and they are from now on.
    case begun
    /// Some are gone, and it goes on from now.
    case lost
}

extension Backend {
    /// Has the feed keep commits for a name from the last one on, unless it has all from where the name goes on.
    ///
    /// Between a look at what is kept and the commit that begins anew, a worker may have moved it on, or another store
    /// may have begun: commits that are kept since must not be passed over.
    func keepOn(_ name: String, limit: UInt64) throws(BackendError) -> Keeping {
        while true {
            try refreshBesideOthers()
            let known = try keptChanges(for: name)
            SchedulePoint.catalog.pass()
            if let known, try hasChanges(behind: known) { return .kept }
            if try begin(name, limit, inPlaceOf: known) { return known == nil ? .begun : .lost }
        }
    }

    private func hasChanges(behind kept: KeptChanges) throws(BackendError) -> Bool {
        do throws(BackendError) { _ = try changes(after: kept.position) } catch {
            guard case .changesGone = error else { throw error }
            return false
        }
        return true
    }

    /// - Parameter known: what is not there any more; `nil`: nothing is kept.
    /// - Returns: `false` if something else is kept by now.
    private func begin(
        _ name: String, _ limit: UInt64, inPlaceOf known: KeptChanges?
    ) throws(BackendError) -> Bool {
        var known = known
        while true {
            let reader = try snapshot(label: name)
            guard try reader.keptChanges(for: name)?.position == known?.position else {
                return false
            }
            let last = try reader.lastCommit()
            let kept = KeptChanges(name: name, position: try position(of: last), limit: limit)
            do throws(BackendError) { try keep(kept, asOf: last) } catch {
                guard case .conflict = error else { throw error }
                // Of another program, a commit that is not known here is to be looked at first.
                return false
            }
            // The first commit of a directory of 2010 is its content, which the feed does not have.
            if try hasChanges(behind: kept) { return true }
            known = kept
        }
    }

    private func keep(_ kept: KeptChanges, asOf basis: CommitNumber) throws(BackendError) {
        let batch = makeBatch()
        do throws(BackendError) {
            batch.basis = basis
            try batch.keepChanges(kept)
        } catch {
            discard(batch)
            throw error
        }
        try commit(batch)
    }
}
