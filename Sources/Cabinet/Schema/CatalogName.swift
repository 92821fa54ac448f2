import CabinetBackend

/// The names under which the house keeps its own in the catalog.
enum CatalogName {
    /// A ``Versioning``, as text.
    static let versioning = "versioning"
    /// The numbers of the classes whose referrers are kept, a byte each.
    static let referrers = "referrers"
    /// A ``LayoutList`` as JSON.
    static func layouts(of classNumber: UInt8) -> String { "layouts.\(classNumber)" }
}

extension Backend {
    /// What the catalog has under `name`; `nil` if nothing.
    func catalogEntry(_ name: String) throws(BackendError) -> [UInt8]? {
        let buffer = DataBuffer()
        let isThere = try Array(name.utf8).withUnsafeBufferPointer { key throws(BackendError) in
            try value(forKey: UnsafeRawBufferPointer(key), in: .catalog, into: buffer)
        }
        return isThere ? buffer.withUnsafeBytes { Array($0) } : nil
    }
}
