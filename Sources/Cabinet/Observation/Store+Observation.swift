extension Store {
    /// Whether objects can be watched by `withObservationTracking`, by `Observations`, and by what
    /// rests on them. Set it where a program that shows objects opens its store.
    ///
    /// ```swift
    /// store.isObserved = true
    /// withObservationTracking { print(song.title) } onChange: { changed() }
    /// ```
    ///
    /// `false` at first, and then watching costs nothing: nothing public tells an object that is
    /// read whether somebody listens. It becomes `true` by itself when a fault is read while
    /// somebody listens; what was read before it in the same closure is not watched then. `false`
    /// forgets who watches.
    ///
    /// A declared field is watched by itself. A class that is written by hand is watched as a
    /// whole: whatever property was read by way of ``StoredObject/willRead()``, each
    /// ``StoredObject/willChange()`` tells. ``StoredObject/isDeleted``,
    /// ``StoredObject/isInserted`` and ``StoredObject/isChanged`` can be watched, too.
    ///
    /// Observers are told before a property is set or changed in place, whoever does it: a delete
    /// rule, or an edit of the other side of a relationship, which is then settled at once, with a
    /// look at the whole list (in a group: once, at its end). They are told after an undo, a redo, a
    /// rollback, a refresh, a delete and a save. In a call before a change, ``save()``, undo, redo
    /// and ``close()`` throw ``StoreError/stepUnderWay``, and ``rollback()`` traps.
    ///
    /// Whoever watches an object watches this instance, while it lives in its store: objects in no
    /// store tell nobody anything, and a closed store forgets who watches.
    ///
    /// Cost: while it is set, each read asks whether somebody listens, in some 0.2 µs, and the first
    /// that somebody hears gives the object a registrar that goes with it. A change of an object
    /// that was ever watched takes some 1 µs, of others what it always takes. Setting it looks at
    /// every object in memory.
    public var isObserved: Bool {
        get { observed.isOn }
        set {
            guard newValue != observed.isOn, !isClosed else { return }
            watchAll(newValue)
        }
    }
}
