extension [StoredObject] {
    @inline(__always)
    func forEachHeld(from start: Int = 0, _ body: (StoredObject) throws -> Void) rethrows {
        try forEachHeld(in: start..<Swift.max(start, count), body)
    }

    /// Calls `body` with each object in `addresses`, which the list holds: nothing is counted.
    @inline(__always)
    func forEachHeld(
        in addresses: Range<Int>, _ body: (StoredObject) throws -> Void
    ) rethrows {
        try withUnsafeBufferPointer { objects in
            guard let first = objects.baseAddress else { return }
            let held = UnsafeRawPointer(first).assumingMemoryBound(
                to: Unmanaged<StoredObject>.self)
            for index in addresses {
                try held[index]._withUnsafeGuaranteedRef(body)
            }
        }
    }
}
