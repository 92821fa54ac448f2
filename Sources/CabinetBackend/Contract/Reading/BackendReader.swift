/// Answers questions about tables of bytes: as they are now, or as they were at one commit.
///
/// A ``Backend`` is a reader of now: each call sees the last commit. A reader from
/// ``Backend/snapshot(label:)`` is frozen: all its calls, and walks that began long ago, see one commit,
/// whatever is committed meanwhile. `Sendable`: all calls may come from any thread.
///
/// Reads see whole commits only. A table that was never defined reads as an empty one. No code of
/// the caller runs inside an engine's lock.
public protocol BackendReader: AnyObject, Sendable {
    /// The store's own number, by which an ID of a record says which store it is from. The same
    /// each time the store is opened, and after a move of its files; a backup has the number of its
    /// original. Two stores that were made apart from each other have different ones.
    ///
    /// 0 for a store that has no lasting number: a directory of BNRPersistence (2010) that was not
    /// saved by this framework. The first commit gives it one. A store without a commit may have
    /// another number when it is opened again. Can be asked for at any time, also after closing.
    var identity: UInt64 { get }

    /// The commit that the answers are of: the last one that reads see, or the one that the reader
    /// is frozen at. 0 before the first commit.
    func lastCommit() throws(BackendError) -> CommitNumber

    /// All tables but `TableNumber.catalog` and `TableNumber.namedBuffers`, in the order of
    /// their numbers.
    func tables() throws(BackendError) -> [TableDefinition]

    /// How many rows or keys `table` has.
    func count(of table: TableNumber) throws(BackendError) -> Int

    /// How many keys of an ordered table lie in `range`; of a named table all of them, where
    /// `range` must be everything. If there are `limit` keys or more, any number from `limit` on: an engine
    /// that has no ``BackendFeatures/ranks`` need not count to the end. Default: walks over them.
    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int

    /// How many keys of an ordered table stand before `key`, which need not be there; 0 for another
    /// table. Default: walks over them.
    func rank(
        of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) -> Int

    /// The key of an ordered table before which `offset` others stand; `nil` if there are not as
    /// many, and for another table. Default: walks over them.
    func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]?

    /// Copies the value of `row` into `buffer`, which it replaces. `false`: there is no such row,
    /// and the buffer is empty.
    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool

    /// Copies the values of many rows: empties `run` and adds each row that is there, in the order
    /// of `rows`, until the run is full. Where the reader is not frozen, commits may happen between
    /// two rows. Default: looks them up one by one.
    /// - Returns: how many of `rows` were looked up, at least one; call again with the others.
    func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int

    /// Those of `rows` that `table` has, in the order of `rows`. No value is copied or checked: a row is
    /// there though its value is damaged. Where the reader is not frozen, commits may happen between two
    /// rows. Default: looks up the values.
    func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID]

    /// Copies the value under `key` of a named or ordered table into `buffer`, which it replaces.
    /// `false`: there is no such key, and the buffer is empty.
    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool

    /// Copies the values of many keys of a named or ordered table: empties `run` and adds each key that
    /// is there, with its value, in the order of `keys`, until the run is full. Where the reader is not
    /// frozen, commits may happen between two keys. Default: looks them up one by one.
    /// - Returns: how many of `keys` were looked up, at least one; call again with the others.
    func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int

    /// A walk over all rows of a record table, in the quickest order.
    ///
    /// Each row that is there from the beginning to the end of the walk is met exactly once, each
    /// other row at most once, whatever is committed in between.
    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor

    /// A walk over the keys of an ordered table within `range`, in the order of their bytes (or
    /// against it); over all keys of a named table in no order, where `range` must be everything.
    ///
    /// Each key that is there from the beginning to the end of the walk is met exactly once, each
    /// other key at most once.
    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor
}

extension BackendReader {
    /// How many keys of an ordered table lie in `range`, all of them; see ``count(of:in:upTo:)``.
    public func count(of range: KeyRange, in table: TableNumber) throws(BackendError) -> Int {
        try count(of: range, in: table, upTo: .max)
    }

    public func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        if range == .everything { return try count(of: table) }
        let cursor = try entries(in: table, range: range, descending: false)
        let run = EntryRun()
        var count = 0
        while count < limit, try cursor.next(run, limit: limit - count) {
            while run.next() != nil { count += 1 }
        }
        return count
    }

    public func rank(
        of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) -> Int {
        guard try isOrdered(table) else { return 0 }
        return try count(of: KeyRange(to: [UInt8](key)), in: table)
    }

    public func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]? {
        guard offset >= 0, try isOrdered(table) else { return nil }
        let cursor = try entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        var passed = 0
        while try cursor.next(run, limit: max(offset - passed + 1, 1)) {
            while let (key, _) = run.next() {
                if passed == offset { return [UInt8](key) }
                passed += 1
            }
        }
        return nil
    }

    private func isOrdered(_ table: TableNumber) throws(BackendError) -> Bool {
        try tables().contains { $0.number == table && $0.kind == .ordered }
    }

    public func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        run.removeAll()
        let buffer = DataBuffer()
        var looked = 0
        for row in rows {
            if try value(of: row, in: table, into: buffer) {
                buffer.withUnsafeBytes { run.append(row, $0) }
            }
            looked += 1
            if run.isFull { break }
        }
        return looked
    }

    public func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        let buffer = DataBuffer()
        var present: [RowID] = []
        for row in rows where try value(of: row, in: table, into: buffer) { present.append(row) }
        return present
    }

    public func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        let buffer = DataBuffer()
        return try run.fill(with: keys) { (key) throws(BackendError) in
            try value(forKey: key, in: table, into: buffer) ? buffer : nil
        }
    }
}

extension EntryRun {
    /// Empties the run, and adds each of `keys` that `find` gives a value of, until it is full.
    /// - Returns: how many keys were asked for.
    package func fill(
        with keys: ArraySlice<[UInt8]>,
        _ find: (UnsafeRawBufferPointer) throws(BackendError) -> DataBuffer?
    ) throws(BackendError) -> Int {
        removeAll()
        var asked = 0
        for key in keys {
            try key.withUnsafeBytesThrowing { key throws(BackendError) in
                if let value = try find(key) { append(key, UnsafeRawBufferPointer(value.memory)) }
            }
            asked += 1
            if isFull { break }
        }
        return asked
    }
}
