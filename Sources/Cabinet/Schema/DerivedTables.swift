import CabinetBackend

/// What the catalog says of tables that newer programs derive from the records of a class: in one entry
/// a class, all that a program needs that does not know their kinds.
struct DerivedTables: Hashable, Sendable {
    /// How far a table is, as a byte: what ``IndexEntry/State`` says of an index.
    private enum State {
        static let building: UInt8 = 1
        static let behind: UInt8 = 3
        static let catchingUp: UInt8 = 4
        static let refused: UInt8 = 5
    }

    /// What is said of the tables of one kind.
    struct Entry: Hashable, Sendable {
        /// Unique in the class.
        var kind: String
        /// Numbers that this program does not know count as complete.
        var state: UInt8
        /// The last commit that the tables are right as of, if they are behind.
        var since: CommitNumber
        /// What the kind says besides.
        var content: [UInt8]
    }

    /// Of this form of the entry.
    private static let form: UInt8 = 1

    var all: [Entry] = []

    init() {}

    /// - Throws: `DataBufferError` for bytes that are no such entry.
    init(_ bytes: [UInt8]) throws(DataBufferError) {
        let buffer = DataBuffer()
        buffer.writeRaw(bytes)
        guard try buffer.readUInt8() == Self.form else {
            throw .invalidValue(type: "list of derived tables", offset: 0)
        }
        for _ in 0..<(try buffer.readUInt16()) {
            all.append(
                Entry(
                    kind: try buffer.readString(), state: try buffer.readUInt8(),
                    since: CommitNumber(try buffer.readUInt64()), content: try buffer.readBytes()))
        }
        guard buffer.remaining == 0 else {
            throw .invalidValue(type: "end of the entry", offset: buffer.position)
        }
    }

    /// The bytes of the entry.
    var bytes: [UInt8] {
        let buffer = DataBuffer()
        buffer.writeUInt8(Self.form)
        buffer.writeUInt16(UInt16(all.count))
        for entry in all {
            buffer.writeString(entry.kind)
            buffer.writeUInt8(entry.state)
            buffer.writeUInt64(entry.since.rawValue)
            buffer.writeBytes(entry.content)
        }
        return buffer.withUnsafeBytes { Array($0) }
    }

    /// Says of all tables that saves after the commit `basis` have not kept them.
    mutating func leaveBehind(at basis: CommitNumber) {
        for index in all.indices {
            switch all[index].state {
            case State.behind, State.refused: continue
            // What it lacks is not known.
            case State.building: all[index].since = 0
            case State.catchingUp: break
            default: all[index].since = basis
            }
            all[index].state = State.behind
        }
    }
}

extension DataBuffer {
    fileprivate func writeRaw(_ bytes: [UInt8]) { bytes.withUnsafeBytes { writeRawBytes($0) } }
}

extension BackendReader {
    /// What newer programs derive from the class; `nil` for nothing.
    /// - Throws: ``StoreError/newerFormat(class:field:found:)``, or a ``BackendError``.
    func derivedTables(ofClass number: UInt8, named name: String) throws -> DerivedTables? {
        guard let bytes = try catalogEntry(CatalogName.derived(ofClass: number)) else { return nil }
        do { return try DerivedTables(bytes) } catch {
            throw StoreError.newerFormat(
                class: name, field: "",
                found: "form \(bytes.first ?? 0) of its derived tables")
        }
    }
}
