import Cabinet

/// Whether both lists hold the same objects in the same order.
func isSame(_ one: [StoredObject], _ other: [StoredObject]) -> Bool {
    one.elementsEqual(other, by: ===)
}
