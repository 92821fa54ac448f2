import CabinetBackend

extension Store {
    /// The objects whose content refers to `object`, each once, ordered by class and row. Pending
    /// changes count; named buffers do not.
    ///
    /// Cost: for a class with `tracksReferrers`, a look-up and the objects with pending changes;
    /// for any other class, and before the first save of one that has just begun to track, a pass
    /// over all objects of all registered classes.
    /// - Throws: ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``, or why an
    ///   object could not be read.
    public func referrers(of object: StoredObject) throws -> [StoredObject] {
        try checkOpen()
        let home = try home(of: object)
        let target = WrittenReferences.Target(classNumber: home.number, row: object.rowID)
        var owners: [WrittenReferences.Target: StoredObject] = [:]
        if home.tracksReferrers, let referrerTable, referrerTable.isComplete(for: home) {
            for place in try referrerTable.owners(of: target) {
                guard let ownerHome = classesByNumber[Int(place.classNumber)] else { continue }
                let owner = ownerHome.object(at: place.row)
                if !owner.state.isPending, !owner.state.contains(.deleted) { owners[place] = owner }
            }
        } else {
            try forEachSavedObject { owner, ownerHome in
                guard targets(of: owner, inAllClasses: true).contains(target) else { return }
                owners[.init(classNumber: ownerHome.number, row: owner.rowID)] = owner
            }
        }
        for owner in changes.objects where owner.isChanged && !owner.state.contains(.fault) {
            guard let ownerHome = owner.home,
                targets(of: owner, inAllClasses: true).contains(target)
            else { continue }
            owners[.init(classNumber: ownerHome.number, row: owner.rowID)] = owner
        }
        return owners.sorted { $0.key < $1.key }.map(\.value)
    }

    /// What the content of `object` refers to. What cannot be written refers to nothing.
    func targets(
        of object: StoredObject, inAllClasses: Bool = false
    ) -> Set<WrittenReferences.Target> {
        let outer = writtenReferences
        let written = WrittenReferences(includesAllClasses: inAllClasses)
        writtenReferences = written
        defer { writtenReferences = outer }
        withBuffer { buffer in
            buffer.context = self
            object.writeContent(to: buffer)
        }
        return written.targets
    }

    /// Calls `body` with every saved object without pending changes, of all registered classes.
    /// Objects that cannot be read are left out, and the log sink is told.
    func forEachSavedObject(_ body: (StoredObject, StoredClass) throws -> Void) throws {
        let reader = DataBuffer()
        let run = RecordRun()
        for case let home? in classesByNumber {
            let cursor = try backend.records(in: home.table)
            while try cursor.next(run) {
                while let (row, record) = run.next() {
                    guard let object = try? meet(record, at: row, of: home, by: reader),
                        !object.state.isPending
                    else { continue }
                    try body(object, home)
                }
            }
        }
    }
}
