import Cabinet

/// Whether both lists hold the same objects in the same order.
func isSame(_ one: [StoredObject], _ other: [StoredObject]) -> Bool {
    one.elementsEqual(other, by: ===)
}

extension Array where Element: StoredObject {
    /// Whether these are the same objects in the same order.
    func holds(_ objects: [StoredObject]) -> Bool { elementsEqual(objects) { $0 === $1 } }
}
