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
    public func prefetch<Owner: StoredObject, Value: RelationshipValue>(
        _ relation: KeyPath<Owner, Value>, of owners: some Sequence<Owner>
    ) throws -> [Value.Target] {
        let owners = Array(owners)
        try prefetch(owners)
        let found = owners.flatMap { $0[keyPath: relation].relatedObjects }.eachOnce()
        try prefetch(found)
        return found
    }

    /// Reads those of `objects`, of any classes, whose content was not read yet: class by class, in
    /// the order of their rows, or in one walk over the class if they are many of it.
    ///
    /// An object keeps its content as long as the program holds a reference to it. If a record is
    /// missing or unreadable, its object is as after a failed read: initial values, and
    /// `fetchError` says why. The log sink and the delegate are called, and the other objects are
    /// read. Objects in no store, and deleted ones, are left alone.
    /// - Throws: ``StoreError/wrongStore(class:)``, ``StoreError/closed``, and then nothing was
    ///   read; a ``BackendError`` for a walk that cannot go on, and then some were.
    public func prefetch<Object: StoredObject>(_ objects: some Sequence<Object>) throws {
        try checkOpen()
        // An array of objects has one layout for all classes.
        try readAhead(unsafeBitCast(Array(objects), to: [StoredObject].self))
    }

    private func readAhead(_ objects: [StoredObject]) throws {
        var faults: [[StoredObject]] = []
        defer { for group in faults { group.forEachHeld { $0.state.subtract(.collected) } } }
        try objects.forEachHeld { object in
            guard let storedClass = object.storedClass else { return }
            guard storedClass.withContext({ $0 === self }) else {
                throw StoreError.wrongStore(class: storedClass.name)
            }
            let asked: ObjectState = [.fault, .saved, .deleted, .collected]
            guard object.state.intersection(asked) == [.fault, .saved] else { return }
            object.state.formUnion(.collected)
            while faults.count <= Int(storedClass.number) { faults.append([]) }
            faults[Int(storedClass.number)].append(object)
        }
        for (storedClass, group) in zip(classesByNumber, faults) where !group.isEmpty {
            if let storedClass { try readFaults(group, of: storedClass) }
        }
    }

    /// Skipping a record in a walk takes some 25 ns, finding one alone some 170 ns more than
    /// reading it there. So a walk pays when one record in so many is wanted.
    private static var walkShare: Int { 6 }

    /// Whether a walk over all records of a class takes less than looking so many up. Over a remote engine one
    /// look-up reads many.
    func isWalkQuicker(
        for count: Int, of storedClass: StoredClass
    ) throws(BackendError) -> Bool {
        if backend.isRemote { return false }
        return count >= max(try reader.count(of: storedClass.table) / Self.walkShare, 2)
    }

    private func readFaults(_ faults: [StoredObject], of storedClass: StoredClass) throws {
        if try isWalkQuicker(for: faults.count, of: storedClass) {
            try walk(storedClass, for: faults.count)
        }
        // Objects that the walk did not reach have no record any more: reading the fault says so.
        let left = faults.filter { $0.state.contains(.fault) }.sorted { $0.rowID < $1.rowID }
        let lookup = RecordLookup(of: storedClass)
        lookup.begin(left.map(\.rowID))
        let reader = DataBuffer()
        for fault in left where fault.state.contains(.fault) {
            guard case .record(let record) = try lookup.record(of: fault.rowID, in: self) else {
                readFault(fault)
                continue
            }
            // A failure is kept on the object and reported, as for any fault.
            do { _ = try meet(record, at: fault.rowID, of: storedClass, by: reader) } catch {}
        }
        storedClass.reads.notePrefetch(of: faults.count)
    }

    /// Reads the objects that are marked, of which there are `count`.
    private func walk(_ storedClass: StoredClass, for count: Int) throws {
        var left = count
        let reader = DataBuffer()
        let run = RecordRun()
        let cursor = try readerForWalk().records(in: storedClass.table)
        while left > 0, try cursor.next(run) {
            while let (row, record) = run.next() {
                guard let object = storedClass.existing(row),
                    object.state.isSuperset(of: [.fault, .collected])
                else { continue }
                left -= 1
                // A failure is kept on the object and reported, as for any fault.
                do { _ = try meet(record, at: row, of: storedClass, by: reader) } catch { continue }
            }
        }
    }
}

extension Array where Element: StoredObject {
    /// Each of the objects once, in the order in which they are met.
    func eachOnce() -> [Element] {
        var found: [Element] = []
        for object in self where !object.state.contains(.collected) {
            object.state.formUnion(.collected)
            found.append(object)
        }
        for object in found { object.state.subtract(.collected) }
        return found
    }
}
