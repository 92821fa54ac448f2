import CabinetBackend

/// What the catalog says of one derived table of a class: of an index, a text index.
struct DerivedEntry: Hashable, Sendable {
    enum State: UInt8, Sendable {
        /// As a newer program says, unknown here: saves enter changes, and it is made anew.
        case unknown = 0
        /// It lacks records from before it was declared; what saves change is entered.
        case building = 1
        /// It has the entries of each record that should have some.
        case complete = 2
        /// Programs that do not know the table have written the class, in commits after ``since``.
        case behind = 3
        /// As ``behind``, and being brought up to date; what saves change is entered.
        case catchingUp = 4
        /// It was to be unique, and two records have one key. Nothing is entered.
        case refused = 5

        /// Whether saves enter what they change.
        var takesPart: Bool { self != .behind && self != .refused }
    }

    /// See ``DerivedKeeper/kind``. A save of a program that does not know the kind leaves the table
    /// behind, as it does one that it does not declare.
    var kind: UInt8
    /// Unique among those of its kind in the class.
    var name: String
    var table: String
    /// How often it was made anew; 1 at first.
    var generation: UInt32
    var state: State
    /// The last commit that the table is right as of, for one that is behind; 0 otherwise.
    var since: CommitNumber = 0
    /// What entries are made of, in words of its kind.
    var definition: String
    /// The collations of its columns, with their fingerprints; empty for a kind that has none.
    var collations: String
}

/// The derived tables of a class, of all kinds, in one entry of the catalog: so a save need ask for
/// one key only whether they are what it took them for.
struct DerivedEntries: Hashable, Sendable {
    /// Of this form of the entry.
    private static let form: UInt8 = 1

    var all: [DerivedEntry] = []
    /// Whether the catalog has an entry of another form, or a damaged one: the class has no table
    /// that could be used, and its next save replaces the entry.
    var isUnreadable = false

    init() {}

    /// What a catalog has: `bytes`; `nil` for no entry.
    init(inCatalog bytes: UnsafeRawBufferPointer?) {
        guard let bytes else { return }
        do { self = try DerivedEntries(bytes) } catch { isUnreadable = true }
    }

    func of(_ kind: UInt8) -> [DerivedEntry] { all.filter { $0.kind == kind } }

    subscript(kind: UInt8, name: String) -> DerivedEntry? {
        get { all.first { $0.kind == kind && $0.name == name } }
        set {
            let index = all.firstIndex { $0.kind == kind && $0.name == name }
            switch (index, newValue) {
            case (let index?, let entry?): all[index] = entry
            case (let index?, nil): all.remove(at: index)
            case (nil, let entry?): all.append(entry)
            case (nil, nil): break
            }
        }
    }

    /// The key of the entry of the class with that number; of what is derived from all classes for `nil`.
    static func key(ofClass number: UInt8?) -> [UInt8] {
        Array(CatalogName.derived(ofClass: number).utf8)
    }

    /// - Throws: `DataBufferError` for bytes that are no such entry.
    init(_ bytes: UnsafeRawBufferPointer) throws(DataBufferError) {
        let buffer = DataBuffer()
        buffer.borrow(bytes)
        guard try buffer.readUInt8() == Self.form else {
            throw .invalidValue(type: "list of derived tables", offset: 0)
        }
        let count = try buffer.readUInt16()
        for _ in 0..<count {
            let kind = try buffer.readUInt8()
            let (name, table) = (try buffer.readString(), try buffer.readString())
            let generation = try buffer.readUInt32()
            let state = DerivedEntry.State(rawValue: try buffer.readUInt8()) ?? .unknown
            let since = try buffer.readUInt64()
            all.append(
                DerivedEntry(
                    kind: kind, name: name, table: table, generation: generation, state: state,
                    since: CommitNumber(since), definition: try buffer.readString(),
                    collations: try buffer.readString()))
        }
    }

    func write(to buffer: DataBuffer) {
        buffer.writeUInt8(Self.form)
        buffer.writeUInt16(UInt16(all.count))
        for entry in all {
            buffer.writeUInt8(entry.kind)
            buffer.writeString(entry.name)
            buffer.writeString(entry.table)
            buffer.writeUInt32(entry.generation)
            buffer.writeUInt8(entry.state.rawValue)
            buffer.writeUInt64(entry.since.rawValue)
            buffer.writeString(entry.definition)
            buffer.writeString(entry.collations)
        }
    }

    /// Requires that nothing has changed the entry since a batch's basis: all that is known of the tables of
    /// other processes stands there. Stores of one process hear of one another from the hub.
    static func requireUnchanged(ofClass number: UInt8?, in batch: WriteBatch) {
        batch.require(.unchanged, key: key(ofClass: number), in: .catalog)
    }

    /// Puts the entry, or removes it if there are no tables any more.
    func put(ofClass number: UInt8?, in batch: WriteBatch) throws(BackendError) {
        let buffer = DataBuffer()
        write(to: buffer)
        let key = Self.key(ofClass: number)
        if all.isEmpty { return try batch.deleteKey(key, in: .catalog) }
        try batch.put(UnsafeRawBufferPointer(buffer.memory), for: key, in: .catalog)
    }
}

extension BackendReader {
    /// The derived tables of the class, or, for `nil`, those of all classes together: to be made anew if
    /// ``DerivedEntries/isUnreadable``.
    func derivedEntries(ofClass number: UInt8?) throws(BackendError) -> DerivedEntries {
        let buffer = DataBuffer()
        let isThere = try value(
            forKey: DerivedEntries.key(ofClass: number), in: .catalog, into: buffer)
        return buffer.withUnsafeBytes { DerivedEntries(inCatalog: isThere ? $0 : nil) }
    }
}

extension DerivedEntries {
    /// A save of a program that does not know the table, or makes its entries otherwise, changes records.
    mutating func leaveBehind(_ entry: DerivedEntry, at basis: CommitNumber) {
        var entry = entry
        switch entry.state {
        case .complete: entry.since = basis
        // What it lacks is not known.
        case .building, .unknown: entry.since = 0
        default: break
        }
        entry.state = .behind
        self[entry.kind, entry.name] = entry
    }

    /// A commit removes all records of a class, and knows none of its tables.
    mutating func leaveAllBehind(at basis: CommitNumber) {
        for entry in all where entry.state.takesPart { leaveBehind(entry, at: basis) }
    }
}
