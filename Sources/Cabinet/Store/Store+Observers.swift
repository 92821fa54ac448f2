import CabinetBackend

extension Store {
    typealias ObserverNotice = ObservedObjects.ObserverNotice

    /// `object` is read at `property`; a fault gets its content, if that is what is read.
    func noteReading(of object: StoredObject, at property: ObservedProperty) {
        if object.state.contains(.fault), property != .standing { fetchContent(of: object) }
        guard observed.noteRead(of: object, at: property) else { return }
        if !observed.isOn { reportAllReads(true) }
        guard let storedClass = object.storedClass else { return }
        for relation in storedClass.fields.relations where relation.offset == property.offset {
            relation.isObserved = true
            // What is deleted leaves it, without a change of the object.
            guard relation.isLoose else { continue }
            for target in object.objects(in: relation) {
                _ = observed.noteRead(of: target, at: .existence)
            }
        }
    }

    /// From now on all objects report reads, or none does.
    func reportAllReads(_ isOn: Bool) {
        observed.isOn = isOn
        for storedClass in classes {
            storedClass.reportsReads = isOn
            storedClass.forEachObject { object in
                if isOn {
                    object.state.formUnion(.reportsReads)
                } else {
                    object.state.subtract(.reportsReads)
                    if object.state.contains(.observed) { observed.forget(object) }
                }
            }
            if !isOn {
                for relation in storedClass.fields.relations { relation.isObserved = false }
            }
        }
    }

    /// Calls the observers of `object` before it changes, under the limits of a delegate.
    func tellObservers(of object: StoredObject, at property: ObservedProperty) {
        busyCalls += 1
        defer { busyCalls -= 1 }
        observed.tellChange(of: object, at: property)
    }

    func notices(among objects: some Sequence<StoredObject>) -> [ObserverNotice] {
        if observed.count == 0 { return [] }
        return objects.compactMap { observed.notice(of: $0) }
    }

    /// Those of the objects that `log` is about that are observed, each once.
    func notices(of log: ChangeLog, onlyDeleted: Bool = false) -> [ObserverNotice] {
        if observed.count == 0 { return [] }
        var seen: Set<UInt64> = []
        return log.changes.compactMap { change in
            if onlyDeleted, change.kind != .deleted { return nil }
            guard let object = change.storedClass.existing(change.row),
                seen.insert(ChangeLog.key(change.storedClass, change.row)).inserted
            else { return nil }
            return observed.notice(of: object)
        }
    }

    /// Calls the observers of all properties of the objects in `notices`: any may have changed.
    /// - Parameter existence: whether the objects were deleted, or are back.
    func tell(_ notices: [ObserverNotice], existence: Bool = true) {
        for notice in notices {
            observed.tell(
                notice, (existence ? [.existence] : []) + notice.storedClass.observedProperties)
        }
    }

    /// Reconciles edits at once if they may change observed objects, or at the step's end.
    func reconcileObserved(_ relations: [RelationCoder]) {
        guard observed.count > 0, hasUnreconciledEdits, changes.openLogs.isEmpty,
            relations.contains(where: \.isObservedFromOtherSide)
        else { return }
        reconcileEdits()
    }
}

extension StoredClass {
    /// All of an object that may have changed while it was there.
    var observedProperties: [ObservedProperty] {
        [.content, .standing] + fields.entries.map { ObservedProperty(offset: $0.offset) }
    }
}
