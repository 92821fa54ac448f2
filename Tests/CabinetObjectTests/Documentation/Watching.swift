import Cabinet
import Observation

/// Prints the title, and calls `changed` once, just before the title changes.
func show(_ recording: Recording, in store: Store, changed: @escaping @Sendable () -> Void) {
    store.isObserved = true
    withObservationTracking {
        print(recording.title)
    } onChange: {
        changed()
    }
}
