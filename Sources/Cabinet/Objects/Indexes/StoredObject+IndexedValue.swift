import CabinetBackend

// A reference to an object, as keys have it.
extension StoredObject: IndexedValue {
    /// Appends the number of the object's class and its row; of an object outside a store, `nil`.
    public final func write(to key: inout OrderedKeyBuilder) {
        guard let classReference else { return key.appendNil() }
        let number = classReference._withUnsafeGuaranteedRef { $0.number }
        key.appendReference(toRow: rowID, ofClass: number)
    }
}

extension OrderedKeyBuilder {
    mutating func appendReference(toRow row: RowID, ofClass number: UInt8) {
        append(
            tag: KeyTag.reference, UInt64(number) << 32 | UInt64(row.rawValue), length: 5)
    }
}
