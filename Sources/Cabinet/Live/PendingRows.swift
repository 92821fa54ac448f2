import CabinetBackend

/// Which objects were pending when the live queries that count them were brought up to date last.
struct PendingRows {
    private var known: Set<UInt64> = []

    /// The objects that are pending or were at the last call, and whether each has changed since. Each
    /// that is pending reports its next change.
    mutating func look(in store: Store) -> [UInt64: Bool] {
        var changed: [UInt64: Bool] = [:]
        var now: Set<UInt64> = []
        store.changes.objects.forEachHeld { object in
            guard object.state.isPending, let storedClass = object.storedClass else { return }
            // While changes are recorded, each is reported anyway, and the bit says nothing.
            let isAsSeen =
                object.state.contains(.reportsChange) && !store.changes.isRecording
            object.state.formUnion(.reportsChange)
            let number = storedClass.liveNumber(of: object.rowID)
            now.insert(number)
            changed[number] = !isAsSeen || !known.contains(number)
        }
        for number in known.subtracting(now) { changed[number] = true }
        known = now
        return changed
    }
}
