import CabinetBackend

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The catalog's entry of the store itself, under `store`: the format of the engine's own entries,
/// and the store's number in hexadecimal, as JSON.
struct StoreEntry: Codable, Hashable, Sendable {
    /// The newest format of the entries that this code knows.
    static let knownFormat: UInt32 = 1

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
    /// - Throws: ``BackendError/newerFormat(path:found:known:)``.
    static func check(_ format: UInt32?, path: String) throws(BackendError) {
        guard let format, format > knownFormat else { return }
        throw .newerFormat(path: path, found: format, known: knownFormat)
    }
}
