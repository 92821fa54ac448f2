import CabinetBackend

/// The names of layouts in the catalog and, as texts, of what else is kept there.
enum CatalogName: Hashable {
    case layout(UInt16, ofClass: UInt8)
    /// What else is kept for a class: the writing of that number.
    case relations(UInt32, ofClass: UInt8)

    static let versioning = "versioning"

    /// A name that a class had before, in lower case: the class's number, a byte.
    static func formerClass(_ name: String) -> String { "names/\(name.lowercased())" }

    /// What is derived from a class, or, for `nil`, from all of them: ``DerivedEntries``.
    static func derived(ofClass number: UInt8?) -> String {
        number.map { "derived.\($0)" } ?? "derived"
    }

    /// An author of commits, by number: the text.
    static func author(_ number: UInt32) -> String { authors + "\(number)" }
    private static let authors = "author/"
    /// What the keys of entries about tables of history begin with.
    static let historyTables = "history/"

    var text: String {
        switch self {
        case .layout(let number, let classNumber): "layout/\(classNumber)/\(number)"
        case .relations(let writing, let classNumber): "relations/\(classNumber)/\(writing)"
        }
    }

    /// `nil` for a name of another kind.
    init?(_ key: UnsafeRawBufferPointer) {
        guard let first = key.first, first == UInt8(ascii: "l") || first == UInt8(ascii: "r") else {
            return nil
        }
        let text = String(decoding: key, as: UTF8.self)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let classNumber = UInt8(parts[1]) else { return nil }
        switch parts[0] {
        case "layout":
            guard let number = UInt16(parts[2]) else { return nil }
            self = .layout(number, ofClass: classNumber)
        case "relations":
            guard let writing = UInt32(parts[2]) else { return nil }
            self = .relations(writing, ofClass: classNumber)
        default: return nil
        }
        // Another spelling of a number is no name of ours.
        guard self.text == text else { return nil }
    }

    /// Whether `conflict` is over a number of a class's layouts, or of an author, that another
    /// store took first.
    static func isClaimed(_ conflict: Conflict) -> Bool {
        guard case .key(let key, .catalog) = conflict else { return false }
        return key.starts(with: authors.utf8) || key.withUnsafeBytes { CatalogName($0) } != nil
    }
}

extension BackendReader {
    /// What the catalog has under `name`; `nil` if nothing.
    func catalogEntry(_ name: String) throws(BackendError) -> [UInt8]? {
        let buffer = DataBuffer()
        let isThere = try Array(name.utf8).withUnsafeBufferPointer { key throws(BackendError) in
            try value(forKey: UnsafeRawBufferPointer(key), in: .catalog, into: buffer)
        }
        return isThere ? buffer.withUnsafeBytes { Array($0) } : nil
    }
}
