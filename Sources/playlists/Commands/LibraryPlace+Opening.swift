import Cabinet
import Foundation

extension LibraryPlace {
    /// Opens the store in `directory`.
    ///
    /// - Throws: ``LibraryError/noLibrary(path:)`` if there is none and `opening` may not make
    ///   one, and what the store throws.
    static func open(_ directory: URL, for opening: Command.Opening) throws -> Store {
        let isThere = FileManager.default.fileExists(atPath: directory.path)
        if !isThere, opening != .creating {
            throw LibraryError.noLibrary(path: directory.path)
        }
        return try Store(
            directory: directory, classes: Library.classes,
            access: opening == .reading ? .readOnly : .readWrite)
    }
}
