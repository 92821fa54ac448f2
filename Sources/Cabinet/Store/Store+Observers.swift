import CabinetBackend

/// What those who watch objects are told.
extension Store {
    typealias Watcher = ObservedObjects.Watcher

    /// `object` is read at `place`; a fault gets its content, if that is what is read.
    func noteReading(of object: StoredObject, at place: WatchedPlace) {
        if object.state.contains(.fault), place != .standing { fetchContent(of: object) }
        guard observed.noteRead(of: object, at: place) else { return }
        if !observed.isOn { watchAll(true) }
        guard let home = object.home else { return }
        for relation in home.fields.relations where relation.offset == place.offset {
            relation.isWatched = true
        }
    }

    /// From now on, the reads of all objects are noted, or of none.
    func watchAll(_ isOn: Bool) {
        observed.isOn = isOn
        for home in classes {
            home.isTracked = isOn
            home.forEachObject { object in
                if isOn {
                    object.state.formUnion(.tracked)
                } else {
                    object.state.subtract(.tracked)
                    if object.state.contains(.observed) { observed.forget(object) }
                }
            }
            if !isOn { for relation in home.fields.relations { relation.isWatched = false } }
        }
    }

    /// `object`, which is watched, is about to change at `place`. What must not be done in a
    /// delegate's call before a change must not be done here either.
    func tellWatchers(of object: StoredObject, at place: WatchedPlace) {
        unsettledCalls += 1
        defer { unsettledCalls -= 1 }
        observed.tellChange(of: object, at: place)
    }

    /// Those of `objects` that are watched.
    func watchers(among objects: some Sequence<StoredObject>) -> [Watcher] {
        if observed.count == 0 { return [] }
        return objects.compactMap { observed.watcher(of: $0) }
    }

    /// Those of the objects that `log` is about that are watched, each once.
    func watchers(of log: ChangeLog, onlyDeleted: Bool = false) -> [Watcher] {
        if observed.count == 0 { return [] }
        var seen: Set<UInt64> = []
        return log.entries.compactMap { entry in
            if onlyDeleted, entry.kind != .deleted { return nil }
            guard let object = entry.home.existing(entry.row), seen.insert(entry.key).inserted
            else { return nil }
            return observed.watcher(of: object)
        }
    }

    /// Anything may have become of the objects of `watchers`.
    func tell(_ watchers: [Watcher]) {
        for watcher in watchers {
            let fields = watcher.home.fields.entries.map { WatchedPlace(offset: $0.offset) }
            observed.tell(watcher, [.content, .standing] + fields)
        }
    }

    /// Edits of relationships are settled at once if somebody watches what they change. In a step,
    /// its end will do.
    func settleWatched(_ relations: [RelationCoder]) {
        guard observed.count > 0, hasUnsettledEdits, changes.openLogs.isEmpty,
            relations.contains(where: \.isWatchedFromOtherSide)
        else { return }
        settleEdits()
    }
}
