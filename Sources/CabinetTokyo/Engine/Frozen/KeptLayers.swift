import CabinetBackend

/// An ordered table as it was before a commit, kept for readers of commits before.
///
/// `Sendable`: its layers are guarded, and change only in that unknown weights become known.
final class KeptLayers: Sendable {
    private let layers: Guarded<OrderedLayers>

    init(_ layers: OrderedLayers) { self.layers = Guarded(layers) }

    /// The layers, whose weights may be unknown.
    var snapshot: OrderedLayers { layers.withLock { $0 } }

    /// The layers with their weights. The first call looks unknown ones up.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` for a damaged run.
    func resolved() throws(BackendError) -> OrderedLayers {
        try layers.withLock { layers throws(BackendError) in
            layers = try layers.resolved()
            return layers
        }
    }
}

/// A run that one commit has written has all keys that the commit has changed.
extension Run: ChangedKeys {
    package func contains(_ key: UnsafeRawBufferPointer) throws(BackendError) -> Bool {
        if case .absent = try find(key) { false } else { true }
    }
}
