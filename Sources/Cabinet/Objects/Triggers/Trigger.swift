/// Code of a class that saves of its objects call.
///
/// ```swift
/// final class Song: StoredObject {
///     @Field var title = ""
///     @Field var sortTitle = ""
///     @One var album: Album?
///
///     override class var triggers: [Trigger] {
///         [
///             .before(\Song.title) { (song: Song, _) in song.sortTitle = song.title.lowercased() },
///             .before(\Song.album) { (song: Song, change) in
///                 change.former?.album?.songCount -= 1
///                 if change.kind != .deleted { song.album?.songCount += 1 }
///             },
///         ]
///     }
/// }
/// ```
///
/// A class declares its triggers (``StoredObject/triggers``); subclasses inherit them, unless they
/// override the property. `Sendable`: a value.
///
/// ## Before a save
///
/// `before` triggers run in the store's isolation domain, within the save, before it writes anything and
/// before `validate()`: for every inserted, changed or deleted object, whatever has changed it, in the order
/// of the declaration. They are asked by ``Store/save()``, ``Store/save(onConflict:)`` after the merge,
/// ``Store/saveInBackground(isolation:)``, ``StoreContainer/write(author:_:)`` and migrations, of edits as of
/// undone steps, imports and delete rules. An upgrade alone (``Store/upgradeAll(progress:)``)
/// rewrites records without changing objects, and asks none.
///
/// A trigger may change, insert and delete objects, in the same save. What it has changed is asked about in
/// turn, and of a trigger's own changes to its object the other triggers of the class are asked, until no
/// change is new to any of them. A trigger that is called again for an object gets what has changed since it
/// was called last, so one that adds up differences is right to the end. After 1,000 rounds the save throws
/// ``StoreError/triggersUnstable(classes:)``.
///
/// If a trigger throws, the save does, and everything is as it was before the save, with all pending changes.
/// So it is if the save fails later: what triggers have changed is taken back, and the next save asks them
/// anew. A save that has to begin again, as another store has saved meanwhile, asks them again, too: what they
/// do outside of the store may happen several times. What a trigger reads of objects that it does not change
/// may be changed by another store before the commit; a sum over objects is safe if it is kept in one that
/// each change writes.
///
/// In a trigger, `save()`, undo and `close()` throw ``StoreError/stepUnderWay``, and `rollback()` traps. What
/// triggers and, in a store with `before` triggers, `validate()` change is no step of undo: to undo a step
/// takes back what the step has changed, and the save after that has the triggers change theirs.
public struct Trigger: Sendable {
    enum Content: Sendable {
        case before(BeforeTrigger)
        case after(AfterTrigger)
    }

    let content: Content

    /// Calls `body` before an object is saved that is new, has changed, or is deleted.
    public static func before<Object: StoredObject>(
        _ type: Object.Type,
        _ body: @escaping @Sendable (Object, ObjectChange<Object>) throws -> Void
    ) -> Trigger {
        Trigger(content: .before(BeforeTrigger(fields: [], of: type, body)))
    }

    /// Calls `body` before an object is saved that is new or deleted, or in which one of some fields has
    /// changed.
    /// - Parameters:
    ///   - fields: declared fields or relationships of the class. A store is not opened with others:
    ///     ``StoreError/badTrigger(class:trigger:reason:)``.
    ///   - body: gets the object, and what has become of it. Not called for a change that has left the
    ///     fields as they were.
    public static func before<Object: StoredObject>(
        _ fields: (PartialKeyPath<Object> & Sendable)...,
        body: @escaping @Sendable (Object, ObjectChange<Object>) throws -> Void
    ) -> Trigger {
        Trigger(content: .before(BeforeTrigger(fields: fields, of: Object.self, body)))
    }
}

/// A trigger that saves call before they write.
struct BeforeTrigger: Sendable {
    let owner: StoredObject.Type
    /// Empty for any.
    let fields: [AnyKeyPath & Sendable]
    let body: @Sendable (StoredObject, ChangedObject) throws -> Void

    init<Object: StoredObject>(
        fields: [PartialKeyPath<Object> & Sendable], of owner: Object.Type,
        _ body: @escaping @Sendable (Object, ObjectChange<Object>) throws -> Void
    ) {
        self.owner = owner
        self.fields = fields
        self.body = { object, change in
            guard let object = object as? Object else { return }
            try body(object, ObjectChange(change))
        }
    }
}

/// A trigger that a worker calls after saves.
struct AfterTrigger: Sendable {
    let owner: StoredObject.Type
    let name: String
    /// How many bytes of commits are kept for it at most.
    let limit: UInt64
    let body: @Sendable (ObjectContext, ObjectEvent<StoredObject>) throws -> Void
}
