import CabinetBackend

extension Store {
    /// The objects whose content refers to `object`, each once, ordered by class and row. Pending
    /// changes count; named buffers do not.
    ///
    /// Cost: for a class with `tracksReferrers`, a look-up and the objects with pending changes;
    /// for any other class, and before the first save of one that has just begun to track, a pass
    /// over all objects of all registered classes.
    /// Objects that cannot be read are left out, with a message to the log sink.
    /// - Throws: ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``,
    ///   ``StoreError/closed``, or a ``BackendError``.
    public func referrers(of object: StoredObject) throws -> [StoredObject] {
        try checkOpen()
        return try findReferrers(of: object, leavesOut: true)
    }

    /// - Parameter leavesOut: whether objects that cannot be read are left out, rather than an error.
    func findReferrers(of object: StoredObject, leavesOut: Bool) throws -> [StoredObject] {
        reconcileEdits()
        let storedClass = try storedClass(of: object)
        let target = WrittenReferences.Target(classNumber: storedClass.number, row: object.rowID)
        var owners = try savedOwners(
            of: [target], areTracked: storedClass.tracksReferrers, leavesOut: leavesOut)
        overlay.forEachChanged { owner, ownerClass in
            guard targets(of: owner, inAllClasses: true).contains(target) else { return }
            owners[.init(classNumber: ownerClass.number, row: owner.rowID)] = owner
        }
        addOtherSides(of: object, storedClass, to: &owners)
        return owners.inOrder { $0.key < $1.key }.map(\.value)
    }

    /// The objects without pending changes whose content refers to one of `targets`.
    func savedOwners(
        of wanted: Set<WrittenReferences.Target>, areTracked: Bool, leavesOut: Bool = true
    ) throws -> [WrittenReferences.Target: StoredObject] {
        var owners: [WrittenReferences.Target: StoredObject] = [:]
        if areTracked, let places = try trackedPlaces(of: wanted) {
            for place in places {
                guard let ownerClass = classesByNumber[Int(place.classNumber)] else { continue }
                let owner = ownerClass.object(at: place.row)
                if overlay.leaves(owner) { owners[place] = owner }
            }
            return owners
        }
        try forEachSavedObject(leavesOut: leavesOut) { owner, ownerClass in
            if targets(of: owner, inAllClasses: true).isDisjoint(with: wanted) { return }
            owners[.init(classNumber: ownerClass.number, row: owner.rowID)] = owner
        }
        return owners
    }

    /// `nil`: the table of referrers does not know.
    private func trackedPlaces(
        of wanted: Set<WrittenReferences.Target>
    ) throws -> Set<WrittenReferences.Target>? {
        var places: Set<WrittenReferences.Target> = []
        for target in wanted {
            guard let found = try referrerTable?.owners(of: target) else { return nil }
            places.formUnion(found)
        }
        return places
    }

    /// Objects in a relationship of `object` with an inverse refer back to it, even where a record
    /// that was written before the inverse was declared does not say so.
    private func addOtherSides(
        of object: StoredObject, _ storedClass: StoredClass,
        to owners: inout [WrittenReferences.Target: StoredObject]
    ) {
        let relations = storedClass.fields.relations.filter(\.hasInverse)
        if relations.isEmpty || object.state.contains(.deleted) { return }
        if object.state.contains(.fault) { fetchContent(of: object) }
        for relation in relations {
            for owner in object.objects(in: relation) where !owner.state.contains(.deleted) {
                guard let ownerClass = owner.storedClass, relation.inverse(in: ownerClass) != nil
                else {
                    continue
                }
                owners[.init(classNumber: ownerClass.number, row: owner.rowID)] = owner
            }
        }
    }

    /// What the content of `object` refers to. What cannot be written refers to nothing.
    func targets(
        of object: StoredObject, inAllClasses: Bool = false
    ) -> Set<WrittenReferences.Target> {
        let written = WrittenReferences(includesAllClasses: inAllClasses)
        withBuffer { buffer in
            buffer.context = self
            buffer.withMode(written) { writeContent(of: object, to: buffer) }
        }
        if !written.isExact { object.noteReferenceChange() }
        return written.targets
    }

    /// Calls `body` with every saved object, of all registered classes. An object with pending
    /// changes is left out or, with `pendingToo`, replaced by a copy of its record.
    ///
    /// Objects that cannot be read are left out, with a message to the log sink. If `leavesOut` is
    /// `false`, only those of classes that refer to nothing are: others are an error.
    func forEachSavedObject(
        pendingToo: Bool = false, leavesOut: Bool = true,
        _ body: (StoredObject, StoredClass) throws -> Void
    ) throws {
        let reader = DataBuffer()
        let run = RecordRun()
        for case let storedClass? in classesByNumber {
            let mayRefer = storedClass.layouts?.mayRefer ?? true
            let cursor = try readerForWalk().records(in: storedClass.table)
            while try cursor.next(run) {
                while let (row, record) = run.next() {
                    let isPending = overlay.covers(row, of: storedClass)
                    if isPending, !pendingToo { continue }
                    let object: StoredObject?
                    do {
                        object =
                            isPending
                            ? try copyForReferences(
                                of: record, at: row, of: storedClass, by: reader)
                            : try meet(record, at: row, of: storedClass, by: reader)
                    } catch let error as StoreError where leavesOut || !mayRefer {
                        log(.warning, "Left out as a referrer: \(error)")
                        continue
                    }
                    if let object { try body(object, storedClass) }
                }
            }
        }
    }
}

// MARK: - Taking part in commits

extension Store {
    /// Registers the classes whose referrers this store tracks: all stores over the backend keep
    /// the table from now on.
    func registerReferrers() {
        for storedClass in classes where storedClass.tracksReferrers {
            let number = storedClass.number
            hub.register(
                CommitHub.Registration(name: "referrers.\(number)") { store in
                    store.classesByNumber[Int(number)]?.tracksReferrers = true
                    try store.keepReferrers()
                })
        }
    }

    private func keepReferrers() throws {
        if referrerTable != nil { return }
        let table = try ReferrerTable(self)
        referrerTable = table
        participants.removeAll { $0 is ReferrerTable }
        add(table)
    }

    /// If no class tracks its referrers any more, or another process has begun to track them, the next save says
    /// that the table misses some.
    func noteNeglectedReferrers() throws {
        if !hasReferrerTable {
            let table = try ReferrerTable(self)
            if table.isInUse { add(table) }
        }
        mayNeglectReferrers = false
    }

    private var hasReferrerTable: Bool { participants.contains { $0 is ReferrerTable } }

    /// Without the table, a commit must not follow one of another process that has begun to track.
    func requireNoReferrers(in commit: Commit) {
        guard backend.hasOtherWriters, !hasReferrerTable else { return }
        DerivedEntries.requireUnchanged(ofClass: nil, in: commit.batch)
    }
}
