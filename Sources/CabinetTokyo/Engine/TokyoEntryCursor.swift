import CabinetBackend

/// A walk over the keys of an ordered table. It keeps the last key that it met, and goes on
/// behind it whatever is committed in between.
final class OrderedCursor: EntryCursor {
    private let backend: TokyoBackend
    private let number: TableNumber
    private let range: KeyRange
    private let isDescending: Bool
    /// The key to go on at; `nil` for the range's end.
    private var start: [UInt8]?
    /// The last key met, which is not met again.
    private var passed: [UInt8]?
    private var isAtEnd = false

    init(_ backend: TokyoBackend, _ number: TableNumber, _ range: KeyRange, descending: Bool) {
        self.backend = backend
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
        passed = nil
        isAtEnd = false
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        try backend.reading(number) { () throws(BackendError) in
            guard !self.isAtEnd else { return .done(()) }
            guard let table = self.backend.table(self.number), table.kind == .ordered else {
                self.isAtEnd = true
                return .done(())
            }
            let tree = try table.ordered()
            return tree.cacheLock.withLock { self.fill(run, limit, tree) }
        }
        return !run.isEmpty
    }

    private func fill(
        _ run: EntryRun, _ limit: Int, _ tree: OrderedFile
    ) -> TokyoBackend.Reading<Void> {
        var left = max(limit, 1)
        var outcome = TokyoBackend.Reading<Void>.done(())
        var latest: [UInt8]?
        var isFull = false
        let start = passed ?? self.start ?? (isDescending ? range.upper : range.lower)
        func take(_ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> Bool {
            if let passed, passed.elementsEqual(key) { return true }
            if isDescending {
                if let upper = range.upper, !key.lexicographicallyPrecedes(upper) { return true }
                if let lower = range.lower, key.lexicographicallyPrecedes(lower) { return false }
            } else if let upper = range.upper, !key.lexicographicallyPrecedes(upper) {
                return false
            }
            if run.isFull || left == 0 {
                isFull = true
                return false
            }
            guard Checksum.isRight(key, stored) else {
                outcome = .damage(tree.path, 0)
                isFull = true
                return false
            }
            run.append(key, Checksum.value(of: stored))
            left -= 1
            latest = Array(key)
            return true
        }
        do {
            try tree.walk(from: start, descending: isDescending, take)
        } catch {
            outcome = .damage(tree.path, 0)
        }
        if case .damage = outcome {
            run.removeAll()
            return outcome
        }
        if let latest { passed = latest }
        isAtEnd = !isFull
        return outcome
    }
}

/// A walk over the keys of a named table, which are few: it notes them all at first, and gives
/// those that are still there.
final class NamedCursor: EntryCursor {
    private let backend: TokyoBackend
    private let number: TableNumber
    private var keys: [[UInt8]]?
    private var index = 0

    init(_ backend: TokyoBackend, _ number: TableNumber) {
        self.backend = backend
        self.number = number
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        throw .unsupported("a search for a key in a named table")
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        try backend.reading(number) { () throws(BackendError) in
            guard let table = self.backend.table(self.number), table.kind == .named else {
                self.keys = []
                return .done(())
            }
            let file = try table.hash()
            if self.keys == nil, let damage = self.list(file) { return .damage(file.path, damage) }
            return self.fill(run, limit, table, file)
        }
        return !run.isEmpty
    }

    private func list(_ file: HashFile) -> UInt64? {
        var found: [[UInt8]] = []
        var offset = file.image.firstRecord
        while offset < file.image.end {
            switch file.image.block(at: offset) {
            case nil: return offset
            case .free(let next): offset = next
            case .record(let record):
                found.append(Array(record.key))
                offset = record.next
            }
        }
        keys = found
        return nil
    }

    private func fill(
        _ run: EntryRun, _ limit: Int, _ table: Table, _ file: HashFile
    ) -> TokyoBackend.Reading<Void> {
        guard let keys else { return .done(()) }
        var left = max(limit, 1)
        while index < keys.count, !run.isFull, left > 0 {
            let damage = keys[index].withUnsafeBytes { key -> UInt64? in
                switch file.image.find(key) {
                case .nothing: return nil
                case .damage(let offset): return offset
                case .value(let stored):
                    guard !table.checksums || Checksum.isRight(key, stored) else {
                        return file.image.offset(of: stored)
                    }
                    run.append(key, table.checksums ? Checksum.value(of: stored) : stored)
                    left -= 1
                    return nil
                }
            }
            if let damage { return .damage(file.path, damage) }
            index += 1
        }
        return .done(())
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
