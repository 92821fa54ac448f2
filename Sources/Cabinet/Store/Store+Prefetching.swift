import CabinetBackend

extension Store {
    /// Reads what `relation` leads to from each of `owners`, many objects in one pass instead of
    /// each when it is touched. The owners themselves are read the same way first.
    ///
    /// ```swift
    /// let songs = try store.prefetch(\Playlist.songs, of: lists)
    /// try store.prefetch(\Song.album, of: songs)
    /// ```
    ///
    /// Otherwise as ``prefetch(_:)``.
    /// - Returns: the objects that `relation` leads to, each once, in the order in which they were
    ///   met.
    @discardableResult
    public func prefetch<Owner: StoredObject, Targets: Sequence>(
        _ relation: KeyPath<Owner, Targets>, of owners: some Sequence<Owner>
    ) throws -> [Targets.Element] where Targets.Element: StoredObject {
        try prefetchTargets(of: Array(owners)) { $0[keyPath: relation] }
    }

    /// Reads what `relation` leads to from each of `owners`, as for a relationship to many.
    @discardableResult
    public func prefetch<Owner: StoredObject, Target: StoredObject>(
        _ relation: KeyPath<Owner, Target?>, of owners: some Sequence<Owner>
    ) throws -> [Target] {
        try prefetchTargets(of: Array(owners)) { owner in
            owner[keyPath: relation].map { [$0] } ?? []
        }
    }

    /// Reads those of `objects`, of any classes, whose content was not read yet: class by class, in
    /// the order of their rows, or in one walk over the class if they are many of it.
    ///
    /// An object stays read as long as somebody holds it. One whose record is gone or cannot be
    /// read is afterwards what a touch would have made of it: `fetchError` says why, log sink and
    /// delegate are told, and the others are read. Objects in no store, and deleted ones, are left
    /// alone.
    /// - Throws: ``StoreError/wrongStore(class:)``, ``StoreError/closed``, and then nothing was
    ///   read; a ``BackendError`` for a walk that cannot go on, and then some were.
    public func prefetch<Object: StoredObject>(_ objects: some Sequence<Object>) throws {
        try checkOpen()
        var faults: [UInt8: [StoredObject]] = [:]
        for object in objects {
            guard let home = object.home else { continue }
            guard home.context === self else { throw StoreError.wrongStore(class: home.name) }
            guard object.state.isSuperset(of: [.fault, .saved]), !object.state.contains(.deleted)
            else { continue }
            faults[home.number, default: []].append(object)
        }
        for (number, objects) in faults.sorted(by: { $0.key < $1.key }) {
            guard let home = classesByNumber[Int(number)] else { continue }
            try readFaults(objects, of: home)
        }
    }

    private func prefetchTargets<Owner: StoredObject, Targets: Sequence>(
        of owners: [Owner], _ targets: (Owner) -> Targets
    ) throws -> [Targets.Element] where Targets.Element: StoredObject {
        try prefetch(owners)
        var found: [Targets.Element] = []
        var seen: Set<ObjectIdentifier> = []
        for owner in owners {
            for target in targets(owner) where seen.insert(ObjectIdentifier(target)).inserted {
                found.append(target)
            }
        }
        try prefetch(found)
        return found
    }

    /// A walk is taken when one record in so many is wanted.
    private static var walkShare: Int { 3 }

    private func readFaults(_ faults: [StoredObject], of home: StoredClass) throws {
        let saved = try backend.count(of: home.table)
        if faults.count >= saved / Self.walkShare {
            try walk(home, for: faults)
        }
        // What a walk did not meet is gone, which the fault itself finds out.
        for fault in faults.sorted(by: { $0.rowID < $1.rowID })
        where fault.state.contains(.fault) {
            readFault(fault)
        }
        home.reads.notePrefetch(of: faults.count)
    }

    private func walk(_ home: StoredClass, for faults: [StoredObject]) throws {
        var wanted = RowSet()
        for fault in faults { wanted.insert(fault.rowID) }
        let reader = DataBuffer()
        let run = RecordRun()
        let cursor = try backend.records(in: home.table)
        while !wanted.isEmpty, try cursor.next(run) {
            while let (row, record) = run.next() {
                guard let object = home.existing(row), object.state.contains(.fault),
                    wanted.remove(row)
                else { continue }
                // A failure is kept on the object and told, as for any fault.
                do { _ = try meet(record, at: row, of: home, by: reader) } catch { continue }
            }
        }
    }
}
