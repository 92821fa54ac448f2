/// Something that is not as it should be in what an engine keeps, found by
/// ``StoreMaintenance/check(reportingTo:)`` or met while a damaged store is salvaged.
///
/// `Sendable`: a value.
public struct StoreFinding: Hashable, Sendable {
    /// What is wrong.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The log is gone: there is neither a log segment nor a snapshot.
        case missingLog = "missing-log"
        /// A log segment is no such file, or of another store.
        case damagedSegment = "damaged-segment"
        /// Frames of the log stop where they should go on.
        case damagedFrame = "damaged-frame"
        /// Saves of which nothing is left.
        case lostSaves = "lost-saves"
        /// A save of which a part is left.
        case incompleteSave = "incomplete-save"
        /// The snapshot's head, its list of tables or one of its blocks.
        case damagedSnapshot = "damaged-snapshot"
        /// A record of a view whose bytes are not what was written.
        case damagedRecord = "damaged-record"
        /// A record that the log has and the view has not.
        case missingRecord = "missing-record"
        /// A record that is another in the log.
        case differentRecord = "different-record"
        /// The view has more or fewer records than the log.
        case wrongCount = "wrong-count"
        /// A row could be given out a second time.
        case counterBehind = "counter-behind"
        /// A view file that opening or salvage found to be something else than what was last left
        /// there. In a store that may be changed, opening has rebuilt it by then. Or one that
        /// another program has replaced, removed or cut while the store is open.
        case damagedView = "damaged-view"
        /// A view that cannot be read at all.
        case unreadableView = "unreadable-view"
        /// A table whose definition is gone; it got a name and a number of its own.
        case lostDefinition = "lost-definition"
    }

    /// What is wrong.
    public var kind: Kind
    /// The file.
    public var path: String
    /// The offset in the file, in bytes from its front; `nil` if the finding has none.
    public var offset: UInt64?
    /// The table, where it is known.
    public var table: TableNumber?
    /// The row of a record table, where it is known.
    public var row: RowID?
    /// The key of a named or ordered table, where it is known.
    public var key: [UInt8]?
    /// The saves that are concerned, where that is known.
    public var saves: ClosedRange<CommitNumber>?

    /// A finding with the given properties.
    public init(
        _ kind: Kind, path: String, offset: UInt64? = nil, table: TableNumber? = nil,
        row: RowID? = nil, key: [UInt8]? = nil, saves: ClosedRange<CommitNumber>? = nil
    ) {
        self.kind = kind
        self.path = path
        self.offset = offset
        self.table = table
        self.row = row
        self.key = key
        self.saves = saves
    }

    /// What `.corrupt` says, as a finding; `nil` for other errors.
    package init?(_ kind: Kind, _ error: BackendError) {
        guard case .corrupt(let path, let offset) = error else { return nil }
        self.init(kind, path: path, offset: offset)
    }
}

extension StoreFinding: CustomStringConvertible {
    /// One line: the kind, the file and offset, and what is concerned.
    public var description: String {
        var text = kind.rawValue + " " + path
        if let offset { text += " at byte \(offset)" }
        if let table { text += ", table \(table)" }
        if let row { text += ", row \(row)" }
        if let key { text += ", key " + key.map(Self.hex).joined() }
        if let saves {
            text +=
                saves.count == 1
                ? ", save \(saves.lowerBound)"
                : ", saves \(saves.lowerBound) to \(saves.upperBound)"
        }
        return text
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
