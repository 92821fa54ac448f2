import CabinetBackend

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The catalog's entry of the store itself, under `store`: the format of the engine's own entries,
/// and the store's number in hexadecimal, as JSON.
struct StoreEntry: Codable, Hashable, Sendable {
    /// The newest format of the catalog that this code knows. Others than the engine's own entries are
    /// of it, too: what the catalog says of classes.
    static let knownFormat: UInt32 = 2
    private static let known = KnownFormats(2...knownFormat)

    var format = knownFormat
    var store: String

    init(_ store: UInt64) { self.store = String(store, radix: 16) }

    /// Written by hand: an encoder costs a first save more than all the rest of it.
    func json() -> [UInt8] { Array("{\"format\":\(format),\"store\":\"\(store)\"}".utf8) }

    /// The format that an entry states; `nil` if the bytes are no entry.
    static func format(of json: UnsafeRawBufferPointer) -> UInt32? {
        // Nearly every entry is what this code writes, and needs no decoder.
        if json.starts(with: "{\"format\":\(knownFormat),\"store\":".utf8) { return knownFormat }
        return try? JSONDecoder().decode(StoreEntry.self, from: Data(json)).format
    }

    /// - Parameters:
    ///   - format: what an entry states, if there is one that does.
    ///   - path: the catalog, for the error.
    /// - Throws: ``BackendError/newerFormat(path:found:known:)``,
    ///   ``BackendError/olderFormat(path:found:oldest:)``.
    static func check(_ format: UInt32?, path: String) throws(BackendError) {
        if let format { try known.check(format, path: path, at: 0) }
    }
}
