import CabinetBackend

extension Store {
    /// As ``Backend/commitBesideSaves(ofClass:basis:_:of:_:)``.
    /// - Parameter isAnnounced: whether other stores must look at the tables again.
    func commitBesideSaves(
        ofClass number: UInt8?, basis: CommitNumber, _ entries: DerivedEntries? = nil,
        isAnnounced: Bool = true, _ body: (WriteBatch) throws -> Void
    ) throws -> CommitNumber {
        let committed = try backend.commitBesideSaves(
            ofClass: number, basis: basis, entries, of: slot, body)
        if isAnnounced {
            SchedulePoint.hub.pass()
            _ = hub.didCommit()
        }
        return committed
    }
}

extension Backend {
    /// Makes a commit of what `body` adds to derived tables of a class, or of all classes together (`nil`),
    /// which no save waits for. If anything throws, nothing is committed.
    /// - Parameters:
    ///   - basis: what it is based on, where stores are isolated.
    ///   - entries: what the catalog says of the class from then on; `nil`: what it says must be unchanged.
    ///   - slot: of the store that commits, if any does.
    /// - Throws: `BackendError.conflict`, also if others have dropped a table, or if it is not known any more
    ///   what they have changed; other errors of the backend; what `body` throws.
    func commitBesideSaves(
        ofClass number: UInt8?, basis: CommitNumber, _ entries: DerivedEntries?,
        of slot: BasisSlot? = nil, _ body: (WriteBatch) throws -> Void
    ) throws -> CommitNumber {
        let batch = makeBatch()
        do {
            if isolatesCommits { batch.basis = basis }
            // Before the rest, which is handed over while it is written.
            if let entries {
                try entries.put(ofClass: number, in: batch)
            } else if isolatesCommits {
                DerivedEntries.requireUnchanged(ofClass: number, in: batch)
            }
            try body(batch)
            SchedulePoint.building.pass()
        } catch {
            discard(batch)
            throw error
        }
        do {
            if let slot { return try slot.commit(batch, to: self).number }
            return try commit(batch)
        } catch {
            switch error {
            case .changesGone, .noTable: throw BackendError.conflict([])
            default: throw error
            }
        }
    }

    /// Makes a commit that changes what the catalog says of the derived tables of a class, or of all classes
    /// together (`nil`), as of the last commit: again for each commit of others that comes between.
    /// - Parameter change: changes the entries, and returns what else the commit adds; `nil` for no commit.
    /// - Returns: whether there was one.
    /// - Throws: errors of the backend; what `change` throws.
    func changeEntries(
        ofClass number: UInt8?, of slot: BasisSlot?,
        _ change: (inout DerivedEntries) throws -> ((WriteBatch) throws -> Void)?
    ) throws -> Bool {
        for _ in 0..<1_000 {
            try refreshBesideOthers()
            let last = try lastCommit()
            SchedulePoint.catalog.pass()
            var entries = try derivedEntries(ofClass: number)
            guard let body = try change(&entries) else { return false }
            do {
                _ = try commitBesideSaves(
                    ofClass: number, basis: last, entries, of: slot, body)
                return true
            } catch BackendError.conflict {}
        }
        throw BackendError.conflict([])
    }
}
