import CabinetBackend

extension Store {
    /// Reads the faults among `objects`, class by class, on another thread, and makes their content here part
    /// by part: each part takes a millisecond or so, and other work of the isolation domain comes between.
    ///
    /// Each is read as of the store's basis at that time. What cannot be read is as after ``prefetch(_:)``.
    func readInBackground(
        _ objects: [StoredObject], isolation: isolated (any Actor)?
    ) async throws {
        var faults = classesByNumber.map { _ in [StoredObject]() }
        for object in objects {
            guard let storedClass = object.storedClass else { continue }
            guard storedClass.withContext({ $0 === self }) else {
                throw StoreError.wrongStore(class: storedClass.name)
            }
            if object.isUnreadFault { faults[Int(storedClass.number)].append(object) }
        }
        for case (let storedClass?, let faults) in zip(classesByNumber, faults) {
            let sorted = faults.inOrder { $0.rowID < $1.rowID }
            var start = 0
            while start < sorted.count {
                start = try await readPart(
                    of: sorted, from: start, storedClass, isolation: isolation)
            }
        }
    }

    /// Reads some of `faults`, which are of one class and in the order of their rows. Returns behind which.
    private func readPart(
        of faults: [StoredObject], from start: Int, _ storedClass: StoredClass,
        isolation: isolated (any Actor)?
    ) async throws -> Int {
        try Task.checkCancellation()
        try checkOpen()
        guard let reads = try BackgroundReads(of: self) else {
            try prefetch(faults[start...])
            return faults.count
        }
        let end = min(start + Self.backgroundPart, faults.count)
        let rows = faults[start..<end].map(\.rowID)
        let (run, count) = try await reads.records(of: rows[...], in: storedClass.table)
        try checkOpen()
        // What is saved may be something else by now.
        guard basis == reads.basis else { return start }
        let buffer = DataBuffer()
        var next = run.next()
        for fault in faults[start..<start + count] {
            while let found = next, found.row < fault.rowID { next = run.next() }
            guard fault.isUnreadFault, fault.storedClass === storedClass else { continue }
            guard let found = next, found.row == fault.rowID else {
                readFault(fault)
                continue
            }
            // A failure is kept on the object and reported, as for any fault.
            do { _ = try meet(found.value, at: found.row, of: storedClass, by: buffer) } catch {}
        }
        return start + count
    }

    /// The objects at `places`, as of the store's basis: faults, unless they are in memory.
    func objects(at places: [BackgroundReads.Place]) -> [StoredObject] {
        places.compactMap { place in
            guard let storedClass = classesByNumber[Int(place.classNumber)] else { return nil }
            return storedClass.existing(place.row) ?? storedClass.makeObject(at: place.row)
        }
    }

    /// - Throws: why the first of `objects` that has no content could not be read.
    func requireContent(of objects: [StoredObject]) throws {
        for object in objects where !object.state.isDisjoint(with: [.fault, .unreadable]) {
            try load(object)
        }
    }

    /// So many objects are made at once.
    private static var backgroundPart: Int { 2048 }
}

extension StoredObject {
    /// Whether it has a record that was not read yet.
    fileprivate var isUnreadFault: Bool {
        state.intersection([.fault, .saved, .deleted]) == [.fault, .saved]
    }
}
