import CabinetBackend

/// Writes the state of a store, as of one commit, into one file.
///
/// First every table is defined, then its rows and keys are put, sorted by table and within it by
/// row or by the key's bytes; then ``finish()``. Another order is a programmer's mistake and
/// traps. Until `finish` has returned no reader takes the file for a snapshot, and after a throw
/// it is to be removed.
package struct SnapshotWriter {
    private let files: any FileLayer
    private let header: [UInt8]
    private let fileSum: UInt32
    private let commitNumber: CommitNumber
    private var blocks: BlockWriter
    private var tables: [SnapshotTable] = []
    /// The table that the last entry went to, as an index in `tables`; -1: none yet.
    private var current = -1
    private var currentGroup = UInt32.max
    private var order = EntryOrder()

    /// Begins a snapshot at `path`, replacing what is there.
    ///
    /// - Parameters:
    ///   - commit number: the last commit that is in the snapshot.
    ///   - highestTable: the highest table number ever used, dropped tables included.
    ///   - blockLimit: how many bytes of entries make a block full.
    package init(
        files: any FileLayer, path: String, storeID: UInt64, commitNumber: CommitNumber,
        highestTable: TableNumber, blockLimit: Int = 256 << 10
    ) throws(BackendError) {
        self.files = files
        self.commitNumber = commitNumber
        var header = SnapshotHeader(
            store: storeID, commitNumber: commitNumber, highestTable: highestTable)
        if files.sealer != nil {
            (header.isSealed, header.salt) = (true, .random(in: 0 ... .max))
        }
        let (bytes, sum) = header.encoded()
        self.header = bytes
        fileSum = sum
        let file = try files.open(path, for: .replacing)
        try files.write(bytes, to: file, at: 0)
        blocks = try BlockWriter(
            files: files, file: file, offset: UInt64(SnapshotHeader.size), fileSum: sum,
            limit: blockLimit, deflates: true)
    }

    /// Adds a table, empty so far. Tables come in the order of their numbers.
    /// - Throws: ``BackendError/badTableName(_:)`` for a name of more than 255 bytes.
    package mutating func define(_ state: TableState) throws(BackendError) {
        precondition(current < 0, "tables are defined before anything is put")
        precondition(
            tables.last.map { $0.number < state.definition.number } ?? true,
            "tables come in the order of their numbers, each once")
        guard state.definition.name.utf8.count <= SnapshotFooter.longestName else {
            throw .badTableName(state.definition.name)
        }
        tables.append(SnapshotTable(state: state))
    }

    /// Adds the row or key that `operation` puts, or the table that it defines, as one that the
    /// snapshot's own commit changed last.
    package mutating func append(_ operation: Operation) throws(BackendError) {
        if case .define(let definition) = operation {
            try define(TableState(definition: definition, lastCommit: commitNumber))
        } else if let entry = TableEntry(operation) {
            try append(entry)
        } else {
            preconditionFailure("a snapshot holds neither drops nor notes")
        }
    }

    @inline(__always)
    mutating func append(_ entry: TableEntry) throws(BackendError) {
        precondition(entry.stored != nil, "a snapshot holds no deletes")
        precondition(order.accept(entry), "rows and keys come sorted, each once")
        if currentGroup != entry.group { try move(to: entry.group) }
        try blocks.append(entry)
        tables[current].count += 1
        tables[current].bytes += UInt64(EntryCoder.size(of: entry))
    }

    /// Moves on to the table with the entries of `group`.
    private mutating func move(to group: UInt32) throws(BackendError) {
        try blocks.flush()
        repeat { current += 1 } while current < tables.count && tables[current].group != group
        precondition(current < tables.count, "a table is defined, with its kind, before its use")
        tables[current].firstBlock = blocks.offset
        currentGroup = group
    }

    /// Moves on to a table whose blocks are all taken over from another snapshot.
    mutating func copyBlocks(of table: SnapshotTable) throws(BackendError) {
        try move(to: table.group)
        tables[current].count = table.count
        tables[current].bytes = table.bytes
    }

    mutating func copy(
        _ header: BlockHeader, _ bytes: UnsafeRawBufferPointer
    ) throws(BackendError) {
        try blocks.append(header, bytes)
    }

    /// How many rows and keys were put.
    package var count: UInt64 { tables.reduce(0) { $0 + $1.count } }

    /// Ends the file and syncs it. It is a whole snapshot now, under the name it was begun with.
    package mutating func finish() throws(BackendError) {
        try blocks.flush()
        let footer = SnapshotFooter.encode(
            tables, at: blocks.offset, fileSum: fileSum, header: header, sealer: files.sealer)
        try files.write(footer, to: blocks.file, at: blocks.offset)
        try files.sync(blocks.file)
    }
}
