import CabinetBackend
import CabinetPostgreSQL
import CabinetSQLite
import CabinetTokyo
import Foundation

/// Where a store is, as users of the programs name it: a directory, `sqlite:FILE`, or
/// `postgresql://HOST/DATABASE?store=NAME`.
///
/// `Sendable`: a value.
package enum StoreAddress: Hashable, Sendable {
    /// The absolute path of a directory.
    case directory(String)
    /// The absolute path of a file of SQLite's.
    case sqlite(String)
    /// The URL of a store in a database of PostgreSQL's. It may hold a password: nothing says it.
    case postgreSQL(String)

    /// What stands before the path of a file of SQLite's.
    private static let sqliteScheme = "sqlite:"

    /// Reads what a user has written. A path begins at the present directory, or at the user's own if it
    /// begins with `~`.
    /// - Throws: ``StoreAddressError/unknownScheme(_:)`` for an address of another kind, such as `https://…`.
    package init(_ text: String) throws(StoreAddressError) {
        if text.hasPrefix(Self.sqliteScheme) {
            self = .sqlite(Self.path(String(text.dropFirst(Self.sqliteScheme.count))))
            return
        }
        if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            self = .postgreSQL(text)
            return
        }
        if let end = text.range(of: "://") {
            throw .unknownScheme(String(text[..<end.lowerBound]))
        }
        self = .directory(Self.path(text))
    }

    /// The absolute path that a user means.
    package static func path(_ text: String) -> String {
        let path = (text as NSString).expandingTildeInPath
        return path.hasPrefix("/")
            ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Where the store is in the file system; `nil`: on a server.
    package var path: String? {
        switch self {
        case .directory(let path), .sqlite(let path): path
        case .postgreSQL: nil
        }
    }

    /// Whether there is anything at the place: a store, or something else. `false` for one on a server, which
    /// opening it finds out.
    package var isTaken: Bool {
        var isDirectory: ObjCBool = false
        guard let path, FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        else {
            return false
        }
        guard isDirectory.boolValue, case .directory = self else { return true }
        return (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) != true
    }

    /// Opens the store, which is made if need be and `access` allows it.
    /// - Throws: ``StoreAddressError/lacksTrait(_:)``, or a `BackendError`: `.unsupported` for a key where
    ///   only stores in directories have one.
    package func open(
        _ access: Access, durability: Durability = .full, key: StoreKey? = nil, log: LogSink = .none
    ) throws -> any Backend {
        if key != nil {
            guard case .directory = self else { throw BackendError.unsupported("a key") }
        }
        switch self {
        case .directory(let path):
            return try TokyoBackend(
                path: path, durability: durability, access: access, key: key, log: log)
        #if SQLite
            case .sqlite(let path):
                return try SQLiteBackend(
                    path: path, durability: durability, access: access, log: log)
        #else
            case .sqlite: throw StoreAddressError.lacksTrait("SQLite")
        #endif
        #if PostgreSQL
            case .postgreSQL(let address):
                return try PostgresBackend(
                    address, durability: durability, access: access, log: log)
        #else
            case .postgreSQL: throw StoreAddressError.lacksTrait("PostgreSQL")
        #endif
        }
    }
}

/// Why the address of a store could not be used. Nothing was done.
package enum StoreAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The program was built without that trait of the package, which has the engine.
    case lacksTrait(String)
    case unknownScheme(String)

    package var description: String {
        switch self {
        case .lacksTrait(let trait):
            "This program was built without the trait \(trait) of the package. Build it with "
                + "--traits \(trait)."
        case .unknownScheme(let scheme):
            "No engine keeps stores at \(scheme):// addresses. Name a directory, sqlite:FILE, or "
                + "postgresql://HOST/DATABASE?store=NAME."
        }
    }
}
