import CabinetBackend

extension Store {
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
    }

    /// Whether there is neither a recorder of changes nor a delegate.
    @inline(__always)
    var isUnobserved: Bool { !changes.isRecording && !hasDelegate }

    @inline(__always)
    func tellDelegate(_ body: (any StoreDelegate) -> Void) {
        if hasDelegate, let delegate { body(delegate) }
    }
}
