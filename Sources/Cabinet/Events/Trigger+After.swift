extension Trigger {
    /// Calls `body` after a save, for each object of the class that it has inserted, changed or deleted.
    ///
    /// ```swift
    /// override class var triggers: [Trigger] {
    ///     [
    ///         .after(Song.self, named: "history") { store, event in
    ///             guard case .changed(let fields) = event.kind else { return }
    ///             store.insert(HistoryEntry(event.date, fields.map(\.name)))
    ///         }
    ///     ]
    /// }
    /// ```
    ///
    /// A worker calls it, on a thread of its own, with a store of its own: for the events of one commit after
    /// the other, in the order of the commits. It runs from when the first store that may save is made with the
    /// class until the last store and its container are closed, in one process at a time, and goes on in the
    /// next run where it stopped. It begins with the first commit after the trigger was declared. Until the
    /// migrations of the program have run it is not called.
    ///
    /// **What the trigger changes in `store` happens exactly once** for each event: the worker saves it in the
    /// commit that notes how far it has come, together for all events of a commit. The trigger cannot save by
    /// itself. **Effects outside of the store happen at least once**: if the process ends between the call and
    /// the commit, or the commit fails, `body` is called again, and so it is if another store has saved changes
    /// of the same objects meanwhile.
    ///
    /// If it throws, or the save does, nothing of that commit's work is kept. The worker tells the log sink,
    /// and tries again after a pause, which grows from 0.1 seconds to a minute; other triggers go on
    /// meanwhile. What a trigger saves reaches other triggers, but none that it follows from: neither the same
    /// one nor those whose commits it was called for, so a circle of triggers ends after one round.
    ///
    /// The engine keeps the commits that the worker has not come to, up to a limit of bytes. If they have
    /// more, they are gone for the trigger: the worker tells the log sink, and goes on with the commits after that.
    /// Saves of the class keep the records that they replace in the log, so that events have former values in
    /// later runs, too.
    ///
    /// - Parameters:
    ///   - type: the class; the objects of subclasses that inherit the trigger are followed, too.
    ///   - name: stands for the trigger in the store for good: 1 to 128 ASCII letters, digits, `_`, `-` and
    ///     `.`, unique among all triggers. The commits that it makes have it as their author.
    ///     ``StoreContainer/keptCommits()`` has it with "trigger/" in front; after the trigger was taken out
    ///     of the program, ``StoreContainer/letGoOfCommits(for:)`` ends what is kept for it.
    ///   - limit: how many bytes of commits are kept for it; 64 MiB.
    ///   - body: runs on the worker's thread. It must neither keep the store or objects of it, nor wait for a
    ///     thread that closes the last store.
    public static func after<Object: StoredObject>(
        _ type: Object.Type, named name: String, keeping limit: UInt64 = 64 << 20,
        _ body: @escaping @Sendable (Store, ObjectEvent<Object>) throws -> Void
    ) -> Trigger {
        Trigger(
            content: .after(
                AfterTrigger(owner: type, name: name, limit: limit) { context, event in
                    guard let store = context as? Store else { return }
                    try body(store, ObjectEvent<Object>(event))
                }))
    }
}

extension AfterTrigger {
    /// What the names begin with under which the feed keeps commits for triggers.
    static let keyPrefix = "trigger/"

    /// What stands for it in the catalog.
    var key: String { Self.keyPrefix + name }

    /// Why it cannot have its name; `nil` if it can.
    var refusal: String? {
        let isGood = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isGood && (1...128).contains(name.utf8.count)
            ? nil : "its name must be 1 to 128 ASCII letters, digits, '_', '-' and '.'"
    }
}
