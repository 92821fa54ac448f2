import CabinetBackend

/// What a check has found. `Sendable`: a value.
public struct CheckReport: Hashable, Sendable {
    /// At most so many findings of each kind are kept.
    public static let limit = 1_000

    /// What was found, at most ``limit`` of each kind.
    public private(set) var findings: [CheckFinding] = []
    /// How much was found of each kind, what was not kept included.
    public private(set) var counts: [CheckFinding.Kind: Int] = [:]
    /// How many records were read.
    public internal(set) var records = 0
    /// How many references stand in them.
    public internal(set) var references = 0
    /// How many records only their class can read, which the store was opened without, or only a
    /// newer version of it: by storage name. They may refer to anything.
    public internal(set) var unread: [String: Int] = [:]

    /// Whether nothing is wrong. References that were let loose are not wrong.
    public var isSound: Bool { counts.allSatisfy { !$0.key.isFault || $0.value == 0 } }

    /// The derived tables of which something was found, what was not kept included.
    package private(set) var wrongTables: Set<WrongTable> = []

    /// A derived table that does not agree with the records. `Sendable`: a value.
    package struct WrongTable: Hashable, Sendable {
        /// The storage name of its class; `nil` for one of all classes.
        package let className: String?
        package let kind: UInt8
        package let name: String
    }

    mutating func add(_ finding: CheckFinding) {
        switch (finding.kind.tableKind, finding.className, finding.field) {
        case (DerivedEntry.kindOfReferrers?, _, _):
            let kind = DerivedEntry.kindOfReferrers
            wrongTables.insert(WrongTable(className: nil, kind: kind, name: "referrers"))
        case (let kind?, let className?, let name?):
            wrongTables.insert(WrongTable(className: className, kind: kind, name: name))
        default: break
        }
        let count = counts[finding.kind, default: 0]
        counts[finding.kind] = count + 1
        if count < Self.limit { findings.append(finding) }
    }
}

/// Something that a check has found. `Sendable`: a value.
public struct CheckFinding: Hashable, Sendable {
    /// What was found. The raw value is the word that `cabinet-inspect check` prints.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The engine's files are not as they should be; ``CheckFinding/reason`` says how.
        case damage
        /// What the catalog says of the class cannot be understood.
        case unreadableCatalog = "unreadable-catalog"
        /// The record cannot be read.
        case unreadableRecord = "unreadable-record"
        /// A reference to a row that is not there, in a relationship that an inverse or
        /// ``DeleteRule/nullify`` has kept right ever since there are records, or to a class that
        /// is not there.
        case danglingReference = "dangling-reference"
        /// A reference to a row that is not there, in a relationship that nothing keeps right, that
        /// was not kept right at first (its inverse or rule was added later, or a program that did
        /// not know of it wrote in between), or in a record that was written by hand. That is what
        /// deleting an object leaves there: to objects and queries it is `nil`.
        case looseReference = "loose-reference"
        /// A reference in a relationship that has an inverse, to an object whose own record does
        /// not lead back. Records that were written before the inverse was declared, or before a
        /// program that did not know of it wrote, are completed when they are read, and are not
        /// wrong. Counting ends where ``CheckReport/limit`` is reached.
        case oneSided = "one-sided"
        /// The table of referrers lacks a reference.
        case missingReferrer = "missing-referrer"
        /// The table of referrers has a reference that is in no record.
        case strayReferrer = "stray-referrer"

        /// An index lacks a key that the record should have; ``CheckFinding/field`` names the index.
        case missingIndexEntry = "missing-index-entry"
        /// An index has a key of a row that no record says; ``CheckFinding/field`` names the index.
        case strayIndexEntry = "stray-index-entry"

        /// A text index lacks a word of the record's text, or where it stands;
        /// ``CheckFinding/field`` names the index.
        case missingTextEntry = "missing-text-entry"
        /// A text index has a word of a row that its text does not have there;
        /// ``CheckFinding/field`` names the index.
        case strayTextEntry = "stray-text-entry"
        /// A text index counts texts or words that it does not have, by which searches rank;
        /// ``CheckFinding/field`` names the index, and ``CheckFinding/reason`` says what.
        case wrongTextCount = "wrong-text-count"
        /// What a commit says that it has replaced is not what stood there, or the last commit
        /// has put something else than the record: reading as of an earlier commit is wrong there.
        case wrongHistory = "wrong-history"

        /// The kind of derived tables that it is about; `nil` for none.
        fileprivate var tableKind: UInt8? {
            switch self {
            case .missingIndexEntry, .strayIndexEntry: DerivedEntry.kindOfIndexes
            case .missingTextEntry, .strayTextEntry, .wrongTextCount, .damage:
                DerivedEntry.kindOfTexts
            case .missingReferrer, .strayReferrer: DerivedEntry.kindOfReferrers
            default: nil
            }
        }

        /// Whether something is wrong.
        public var isFault: Bool { self != .looseReference }
    }

    /// What was found.
    public let kind: Kind
    /// The storage name of the class of the record; `nil` where no record is concerned.
    public let className: String?
    /// The row of the record.
    public let row: RowID?
    /// The field of a reference; `nil` in a record that was written by hand. Of an index, its name.
    public let field: String?
    /// Where a reference leads.
    public let target: FieldValue.Reference?
    /// What is wrong, where that is not clear from the rest.
    public let reason: String?

    init(
        _ kind: Kind, className: String? = nil, row: RowID? = nil, field: String? = nil,
        target: FieldValue.Reference? = nil, reason: String? = nil
    ) {
        self.kind = kind
        self.className = className
        self.row = row
        self.field = field
        self.target = target
        self.reason = reason
    }
}

extension CheckFinding: CustomStringConvertible {
    /// One line: the kind, the class, row and field, and what is concerned.
    public var description: String {
        var text = kind.rawValue
        if let className { text += " " + className }
        if let row { text += " \(row)" }
        if let field { text += ", \(field)" }
        if let target {
            let name = target.className ?? target.classNumber.map { "class \($0)" }
            text += " to \(name ?? "an unknown class") \(target.row)"
        }
        if let reason { text += ": \(reason)" }
        return text
    }
}
