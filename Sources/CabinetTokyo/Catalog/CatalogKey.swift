import CabinetBackend

/// The names under which the engine keeps its own in the catalog, beside those of its users.
enum CatalogKey {
    /// ``CatalogEntry`` as JSON.
    static func table(_ number: TableNumber) -> String { "table/\(number)" }

    /// UInt32 highest row ever committed, UInt32 0, little-endian.
    static func rows(_ number: TableNumber) -> String { "rows/\(number)" }

    /// The highest table number ever defined, as UInt32, and UInt32 0, little-endian.
    static let tables = "tables"

    /// ``DroppedTables``.
    static let dropped = "dropped"

    /// ``StoreEntry`` as JSON.
    static let store = "store"

    /// ``LineList``.
    static let lines = "lines"

    static func counter(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: UInt64(value).littleEndian, Array.init)
    }

    static func counter(from bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count == 8, let base = bytes.baseAddress else { return nil }
        return base.get(UInt32.self, at: 0)
    }
}

extension TableDefinition {
    /// The tables that are always there.
    static let builtIn = [
        TableDefinition(number: .catalog, kind: .named, name: "Catalog"),
        TableDefinition(number: .namedBuffers, kind: .named, name: "NamedBuffers"),
    ]
}

extension WriteBatch {
    /// Puts an entry of the engine's own.
    func putCatalog(_ value: [UInt8], for name: String) throws(BackendError) {
        try Array(name.utf8).withUnsafeBufferPointer { key throws(BackendError) in
            try value.withUnsafeBufferPointer { bytes throws(BackendError) in
                try put(
                    UnsafeRawBufferPointer(bytes), for: UnsafeRawBufferPointer(key), in: .catalog)
            }
        }
    }

    func deleteCatalog(_ name: String) throws(BackendError) {
        try Array(name.utf8).withUnsafeBufferPointer { key throws(BackendError) in
            try deleteKey(UnsafeRawBufferPointer(key), in: .catalog)
        }
    }
}
