import CabinetBackend

extension Store {
    /// Catches up with what other stores have saved, and where the store was opened for reading
    /// beside another program, with what that has saved: reads are of the last commit afterwards.
    ///
    /// Objects that others have changed read their content again when next touched; those that they
    /// have deleted are deleted. Observers and the delegate hear of it. Pending changes stay; where
    /// others have changed the same object, the next save finds the conflict, as it does without
    /// this call. Until then it keeps its own side of its relationships, also where other objects say
    /// what others have saved. ``rollback(_:)`` drops the changes of one object.
    ///
    /// Cost: what others have changed is read from the log. Nothing if they have not saved.
    /// - Returns: the number of the last commit, the new ``basis``.
    /// - Throws: ``StoreError/enumerating``, ``StoreError/stepUnderWay``, ``StoreError/closed``, or
    ///   a ``BackendError``. Then reads are of the commit that they were of.
    @discardableResult
    public func refresh() throws -> CommitNumber {
        try checkIdle()
        reconcileEdits()
        lists.bringAllBack()
        if isSnapshot { return basis }
        try checkOutcomeKnown()
        let last = try backend.refresh()
        if last == basis, try isBasisKept() { return last }
        if isIsolated {
            try moveBasis()
        } else {
            basis = last
            watchers?.noteUnknown(at: last)
            watchers?.tell()
        }
        return basis
    }

    /// Whether what the store reads from has not been given up, as by a backend that has begun to read the store of
    /// another process anew.
    private func isBasisKept() throws(BackendError) -> Bool {
        do throws(BackendError) { _ = try frozen?.lastCommit() } catch {
            guard case .snapshotTooOld = error else { throw error }
            return false
        }
        return true
    }

    /// A later state of the backend, and what others have changed up to it.
    struct Newer {
        let reader: any BackendReader
        let number: CommitNumber
        let changes: ForeignChanges
        /// Where one version stands for all records of a class: the versions as of then.
        let definitions: [TableDefinition]
    }

    /// What others have saved since ``basis``, without this store's own commit `own`.
    ///
    /// - Parameter reader: one that is frozen at the commit to take up; `nil`: the last one.
    func newer(
        except own: CommitNumber? = nil, to reader: (any BackendReader)? = nil
    ) throws(BackendError) -> Newer {
        let newest: any BackendReader
        if let reader { newest = reader } else { newest = try backend.snapshot(label: slot.label) }
        let number = try newest.lastCommit()
        SchedulePoint.basis.pass()
        let changes = try ForeignChanges(after: basis, upTo: number, except: own, of: backend)
        let definitions = codec.versioning == .perClass ? try newest.tables() : []
        return Newer(reader: newest, number: number, changes: changes, definitions: definitions)
    }

    /// Reads as of the last commit from now on.
    func moveBasis(
        except own: CommitNumber? = nil, to reader: (any BackendReader)? = nil
    ) throws {
        try moveBasis(to: try newer(except: own, to: reader))
    }

    func moveBasis(to newer: Newer) throws {
        let taking = TakingUp(newer, in: self)
        try taking.look()
        moveBasis(taking, keepingConflicts: true)
    }

    func moveBasis(_ taking: TakingUp, keepingConflicts: Bool) {
        let newer = taking.newer
        if newer.changes.isUnknown || newer.changes.changesReferrers {
            mayNeglectReferrers = backend.hasOtherWriters
        }
        for definition in newer.definitions {
            let storedClass = classesByNumber[Int(definition.classNumber)]
            // Not of a class that a newer program has renamed: a save is to find that out.
            if storedClass?.table == definition.number,
                storedClass?.definition?.foldedName == definition.foldedName
            {
                storedClass?.noteDefinition(definition)
            }
        }
        if newer.changes.isEmpty, taking.reloaded.isEmpty {
            return setBasis(newer.reader, newer.number)
        }
        beginChange()
        defer { endChange() }
        // Upkeep of indexes and of the table of referrers changes nothing that objects say.
        let mayChangeObjects = newer.changes.mayChangeObjects || !taking.reloaded.isEmpty
        if mayChangeObjects {
            announceChange()
            watchers?.note(newer)
        }
        setBasis(newer.reader, newer.number)
        let contents = observedContents(among: taking.reloaded)
        taking.finish(keepingConflicts: keepingConflicts)
        if mayChangeObjects {
            if newer.changes.isUnknown {
                removeAnnex(ExistingRowsCache.self)
            } else {
                annexIfMade(ExistingRowsCache.self)?.note(newer.changes, classes)
            }
            removeAnnex(FormerPairsCache.self)
            referenceTrust.doubt(classes)
        }
        for participant in participants { participant.forgetWhatIsSaved() }
        tell(contents)
        watchers?.tell()
    }
}

extension Backend {
    /// Takes note of what others have committed, if others may commit elsewhere.
    func refreshBesideOthers() throws(BackendError) {
        if hasOtherWriters { try refresh() }
    }

    /// As ``Backend/changes(after:)-(ChangePosition)``, also behind a position that another program has given and
    /// that is not known here yet.
    func changes(behind position: ChangePosition) throws(BackendError) -> any ChangeCursor {
        do throws(BackendError) { return try changes(after: position) } catch {
            guard case .changesGone = error, hasOtherWriters else { throw error }
        }
        try refresh()
        return try changes(after: position)
    }
}
