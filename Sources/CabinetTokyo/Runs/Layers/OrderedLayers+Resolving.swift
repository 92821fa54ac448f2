import CabinetBackend

extension OrderedLayers {
    /// The same table with all weights known, for counts and ranks.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` for a damaged run.
    func resolved() throws(BackendError) -> OrderedLayers {
        var found = layers
        var isChanged = false
        for index in found.indices {
            guard case .delta(var delta) = found[index], delta.unknownCount > 0 else { continue }
            let below = OrderedLayers(Array(found[..<index]))
            try delta.resolve(limit: .max) { (key) throws(BackendError) in
                try below.find(key) != nil
            }
            found[index] = .delta(delta)
            isChanged = true
        }
        return isChanged ? OrderedLayers(found) : self
    }
}
