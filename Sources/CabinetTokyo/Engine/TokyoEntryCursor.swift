import CabinetBackend

/// A walk over the keys of an ordered table, as the table was when the walk began or last sought a
/// key, or at the commit of a frozen reader: its layers do not change.
final class OrderedCursor: EntryCursor {
    private let backend: TokyoBackend
    private let number: TableNumber
    private let range: KeyRange
    private let isDescending: Bool
    private let reader: FrozenTokyo?
    /// The key to begin at; `nil` for the range's end.
    private var start: [UInt8]?
    /// The layers being walked over; `nil` before the first step and after a search.
    private var walk: LayerCursor?
    private var isAtEnd = false

    init(
        _ backend: TokyoBackend, _ number: TableNumber, _ range: KeyRange, descending: Bool,
        at reader: FrozenTokyo? = nil
    ) {
        self.backend = backend
        self.reader = reader
        self.number = number
        self.range = range
        isDescending = descending
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        let isOutside =
            isDescending
            ? range.upper.map { !key.lexicographicallyPrecedes($0) } ?? false
            : range.lower.map { key.lexicographicallyPrecedes($0) } ?? false
        start = isOutside ? nil : key
        walk = nil
        isAtEnd = false
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        try step { (cursor) throws(BackendError) in
            run.removeAll()
            if let cursor { try self.fill(run, limit, cursor) }
        }
        return !run.isEmpty
    }

    func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool {
        var isAtEntry = false
        try step { (cursor) throws(BackendError) in
            run.removeAll()
            isAtEntry = false
            guard let cursor else { return }
            isAtEntry = cursor.isAtEntry
            try self.fill(run, limit, cursor)
        }
        return !run.rows.isEmpty || isAtEntry && !isAtEnd
    }

    /// Calls `body` under the lock with what goes over the layers; with `nil` at the end. Calls it once
    /// more after damage, when the layers have been rebuilt.
    private func step(
        _ body: (LayerCursor?) throws(BackendError) -> Void
    ) throws(BackendError) {
        try backend.reading(number) { () throws(BackendError) in
            try self.reader?.check()
            return try TokyoBackend.catchingDamage { () throws(BackendError) in
                try self.fill(body)
                return .done(())
            }
        }
    }

    private func fill(
        _ body: (LayerCursor?) throws(BackendError) -> Void
    ) throws(BackendError) {
        if isAtEnd { return try body(nil) }
        if walk == nil {
            guard let layers = try layers() else {
                isAtEnd = true
                return try body(nil)
            }
            walk = try begin(layers)
        }
        guard let cursor = walk else { return try body(nil) }
        // After damage the walk goes on here, in rebuilt layers.
        if cursor.isAtEntry { start = [UInt8](cursor.key) }
        do throws(BackendError) {
            try body(cursor)
        } catch {
            walk = nil
            throw error
        }
    }

    private func fill(
        _ run: RowRun, _ limit: Int, _ cursor: LayerCursor
    ) throws(BackendError) {
        guard isDescending else {
            guard let upper = range.upper else {
                try cursor.takeRows(into: run, limit: max(limit, 1), before: nil)
                isAtEnd = !cursor.isAtEntry
                return
            }
            try upper.withBytes { (upper) throws(BackendError) in
                try cursor.takeRows(into: run, limit: max(limit, 1), before: upper)
            }
            isAtEnd = !cursor.isAtEntry || !KeyOrder.isBefore(cursor.key, upper)
            return
        }
        var left = max(limit, 1)
        while cursor.isAtEntry {
            if let lower = range.lower, KeyOrder.isBefore(cursor.key, lower) { break }
            if run.isFull || left == 0 { return }
            left -= cursor.takeRow(into: run)
            try cursor.previous()
        }
        isAtEnd = true
    }

    /// The table's layers; `nil`: there is no such ordered table.
    private func layers() throws(BackendError) -> OrderedLayers? {
        if let kept = reader?.layers(of: number) { return kept.snapshot }
        let table = reader.map { $0.table(number) } ?? backend.table(number)
        guard let table, table.kind == .ordered else { return nil }
        return try table.ordered().snapshot
    }

    private func begin(_ layers: OrderedLayers) throws(BackendError) -> LayerCursor {
        let cursor = try layers.cursor()
        if isDescending {
            // A search begins at its key, the range before its end.
            try seek(cursor, start ?? range.upper, isPassed: start == nil)
        } else if let key = start ?? range.lower {
            try key.withBytes { (key) throws(BackendError) in try cursor.seek(key) }
        } else {
            try cursor.seek(nil)
        }
        return cursor
    }

    /// Goes to the last entry before `key`, or at it.
    private func seek(
        _ cursor: LayerCursor, _ key: [UInt8]?, isPassed: Bool
    ) throws(BackendError) {
        guard let key else { return try cursor.seekBack(nil) }
        // No key stands between one and the same with a byte 0 behind it.
        try (isPassed ? key : key + [0]).withBytes { (end) throws(BackendError) in
            try cursor.seekBack(end)
        }
    }

    private func fill(
        _ run: EntryRun, _ limit: Int, _ cursor: LayerCursor
    ) throws(BackendError) {
        var left = max(limit, 1)
        let bound = isDescending ? range.lower : range.upper
        while cursor.isAtEntry {
            if let bound, KeyOrder.isBefore(cursor.key, bound) == isDescending { break }
            if !cursor.isDelete {
                if run.isFull || left == 0 { return }
                run.append(cursor.key, cursor.value)
                left -= 1
            }
            if isDescending { try cursor.previous() } else { try cursor.next() }
        }
        isAtEnd = true
    }
}

extension TokyoBackend {
    public func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try checkProcess()
        try lock.reading { () throws(BackendError) in try checkOpen() }
        return TokyoRecordCursor(self, table)
    }

    public func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try checkProcess()
        let isNamed = try lock.reading { () throws(BackendError) -> Bool in
            try checkOpen()
            // A table that is not there yet may become an ordered one.
            return self.table(table).map { $0.kind == .named } ?? (table < .firstFree)
        }
        return isNamed
            ? NamedCursor(self, table)
            : OrderedCursor(self, table, range, descending: descending)
    }
}
