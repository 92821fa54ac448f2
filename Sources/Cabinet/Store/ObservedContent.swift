import CabinetBackend

/// An observed object, noted with what it holds before an operation that may give it other content:
/// afterwards only observers of what has become another are called.
struct ObservedContent {
    let notice: ObservedObjects.ObserverNotice
    private let standing: ObjectState
    /// `nil`: what it holds is not known, or cannot be compared.
    private let former: Former?

    private struct Former {
        let images: FieldImages
        /// By index in the fields; those that are observed.
        let relations: [(index: Int, relation: RelationCoder, objects: [StoredObject])]
    }

    /// What an object is to its store, as far as it can be observed.
    private static let standings: ObjectState = [.deleted, .inserted, .updated]

    fileprivate init(_ notice: ObservedObjects.ObserverNotice, in store: Store) {
        self.notice = notice
        let (object, storedClass) = (notice.object, notice.storedClass)
        standing = object.state.intersection(Self.standings)
        guard storedClass.isDeclared,
            object.state.isDisjoint(with: [.fault, .unreadable, .deleted])
        else {
            former = nil
            return
        }
        let images = FieldImages()
        images.take(object, storedClass.fields, in: store)
        guard images.areWhole else {
            former = nil
            return
        }
        let relations = storedClass.fields.entries.enumerated().compactMap { index, entry in
            (entry.coder as? RelationCoder).flatMap { relation in
                relation.isObserved ? (index, relation, object.objects(in: relation)) : nil
            }
        }
        former = Former(images: images, relations: relations)
    }

    /// What has become another, or may have.
    fileprivate func changes(in store: Store) -> [ObservedProperty] {
        let present = notice.object.state.intersection(Self.standings)
        let isThereAsBefore = present.contains(.deleted) == standing.contains(.deleted)
        return (isThereAsBefore ? [] : [.existence])
            + contentChanges(isSameStanding: present == standing, in: store)
    }

    private func contentChanges(isSameStanding: Bool, in store: Store) -> [ObservedProperty] {
        let fields = notice.storedClass.fields
        guard let former, let present = present(in: store) else {
            return notice.storedClass.observedProperties
        }
        let images = FieldImages()
        images.take(present, fields, in: store)
        var changed = fields.entries.indices.filter { !former.images.isSame($0, as: images) }
        for (index, relation, objects) in former.relations
        where !present.objects(in: relation).elementsEqual(objects, by: ===) {
            changed.append(index)
        }
        return (isSameStanding ? [] : [.standing]) + (changed.isEmpty ? [] : [.content])
            + changed.map { .init(offset: fields.entries[$0].offset) }
    }

    /// An object with the present content: a copy, where that was not read yet. `nil`: there is
    /// none, or reading it would change other objects.
    private func present(in store: Store) -> StoredObject? {
        let (object, storedClass) = (notice.object, notice.storedClass)
        guard object.storedClass === storedClass,
            object.state.isDisjoint(with: [.unreadable, .deleted])
        else { return nil }
        guard object.state.contains(.fault) else { return object }
        guard storedClass.type.version == 1 else { return nil }
        // The error shows where a program reads the object itself.
        return try? store.savedCopy(of: object.rowID, storedClass, in: store.reader)
    }
}

extension Store {
    func observedContents(among objects: some Sequence<StoredObject>) -> [ObservedContent] {
        notices(among: objects).map { ObservedContent($0, in: self) }
    }

    /// Those of the objects that `log` is about that are observed, with what they hold.
    func observedContents(of log: ChangeLog) -> [ObservedContent] {
        notices(of: log).map { ObservedContent($0, in: self) }
    }

    /// Calls the observers of what has become another in the objects of `contents`.
    func tell(_ contents: [ObservedContent]) {
        let changes = contents.map { ($0.notice, $0.changes(in: self)) }
        for (notice, properties) in changes { observed.tell(notice, properties) }
    }
}
