import CabinetBackend

/// The paths of a store's files and directories.
package struct StorePaths: Hashable, Sendable {
    /// The store's directory, without a slash at its end.
    package let root: String
    /// The directory of all that is the store's own.
    package let log: String

    /// The name of the store file in a package, the directory of a document.
    package static let packageContent = "Content.storefile"

    package init(root: String, logName: String = "Journal") {
        self.root = root
        log = root + "/" + logName
    }

    package var lock: String { log + "/Lock" }
    package var clean: String { log + "/Clean" }
    /// The keys of a sealed store, wrapped: see ``KeyFile``.
    package var key: String { log + "/Key" }
    /// The view of the catalog.
    package var catalog: String { log + "/Catalog" }
    /// See ``CatalogCopy``. No table can have that name.
    package var catalogCopy: String { root + "/Catalog.copy" }
    package var newSegment: String { log + "/log.new" }
    package var newSnapshot: String { log + "/snapshot.new" }

    package func segment(_ number: UInt64) -> String { log + "/log-" + Self.hex(number) }

    package func snapshot(_ commitNumber: CommitNumber) -> String {
        log + "/snapshot-" + Self.hex(commitNumber.rawValue)
    }

    /// The file that reads of a table are served from; of an ordered table, what the names of its
    /// runs begin with (``RunName``).
    package func view(of table: TableDefinition) -> String {
        switch table.number {
        case .catalog: catalog
        case .namedBuffers: root + "/NamedBuffers"
        default:
            table.kind == .ordered
                ? "\(root)/\(table.name).\(table.number)" : root + "/" + table.name
        }
    }

    /// Where the view of a table is built before it takes its name.
    package func building(_ number: TableNumber) -> String { log + "/view-\(number).new" }

    /// The number of the segment, or commit number of the snapshot, with that file name.
    package static func number(in name: String, after prefix: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + 16 else { return nil }
        let digits = name.dropFirst(prefix.count)
        guard digits.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else { return nil }
        return UInt64(digits, radix: 16)
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
