import CabinetBackend

/// What may name a class's table and file.
enum StorageName {
    /// Names of the store's own files.
    private static let reserved = ["namedbuffers", "journal"]

    /// - Throws: ``StoreError/badStorageName(_:)``
    static func check(_ name: String) throws(StoreError) {
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed),
            !reserved.contains(name.lowercased())
        else { throw .badStorageName(name) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
