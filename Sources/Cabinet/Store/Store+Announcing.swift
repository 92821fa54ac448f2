import CabinetBackend

extension Store {
    /// Whether changes are announced: to the delegate, or to what watches pending changes.
    func noteWhoHearsEdits() { hasDelegate = delegate != nil || watchers?.hearEdits == true }

    /// Calls the delegate before a change, while a save would part the change from its mark.
    @inline(__always)
    func announce(_ body: (any StoreDelegate) -> Void) {
        guard hasDelegate, let delegate else { return }
        busyCalls += 1
        defer { busyCalls -= 1 }
        body(delegate)
    }

    /// Tells the delegate that something is about to change, unless it knows already.
    @inline(__always)
    func announceChange() { if hasDelegate, !isChangeAnnounced { announceFirstChange() } }

    @inline(never)
    private func announceFirstChange() {
        isChangeAnnounced = true
        announce { $0.storeWillChange(self) }
        // A class that writes its content itself reports no end of a change.
        watchers?.noteEdit()
    }

    /// Whether there is neither a recorder of changes nor a delegate.
    @inline(__always)
    var isUnobserved: Bool { !changes.isRecording && !hasDelegate }

    @inline(__always)
    func tellDelegate(_ body: (any StoreDelegate) -> Void) {
        if hasDelegate, let delegate { body(delegate) }
    }
}
