import CabinetBackend

/// A walk over the keys of a named table, which are few: it notes them all at first, and gives
/// those that are still there.
final class NamedCursor: EntryCursor {
    private let backend: TokyoBackend
    private let number: TableNumber
    private let reader: FrozenTokyo?
    private var keys: [[UInt8]]?
    private var index = 0

    init(_ backend: TokyoBackend, _ number: TableNumber, at reader: FrozenTokyo? = nil) {
        self.backend = backend
        self.reader = reader
        self.number = number
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        throw .unsupported("a search for a key in a named table")
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        try backend.reading(number) { () throws(BackendError) in
            try self.reader?.check()
            let table = self.reader.map { $0.table(self.number) } ?? self.backend.table(self.number)
            guard let table, table.kind == .named else {
                self.keys = []
                return .done(())
            }
            let file = try table.hash()
            if self.keys == nil, let damage = self.list(table, file) {
                return .damage(file.path, damage)
            }
            return try self.fill(run, limit, table, file)
        }
        return !run.isEmpty
    }

    private func list(_ table: Table, _ file: HashFile) -> UInt64? {
        var found: [[UInt8]] = []
        var offset = file.image.firstRecord
        while offset < file.image.end {
            switch file.image.block(at: offset) {
            case nil: return offset
            case .free(let next): offset = next
            case .record(let record):
                // Without a sum, and where it stands in the open, a damaged value shows when it is read.
                if table.values.seal == nil {
                    found.append(Array(record.key))
                } else if let key = table.values.withEntry(of: record, { key, _ in Array(key) }) {
                    found.append(key)
                } else {
                    return offset
                }
                offset = record.next
            }
        }
        if reader != nil {
            let noted = backend.window.notedKeys(of: number)
            if !noted.isEmpty { found = Array(Set(found).union(noted)) }
        }
        keys = found
        return nil
    }

    /// Adds what a key was for the reader, if that is not what it is now. `false`: it is.
    private func addPast(
        _ key: [UInt8], to run: EntryRun, _ left: inout Int
    ) throws(BackendError) -> Bool {
        guard let reader else { return false }
        return try key.withBytes { key throws(BackendError) in
            let version = backend.window.version(ofKey: key, in: number, at: reader.number)
            if case .current = version { return false }
            let buffer = DataBuffer()
            if try backend.window.copy(version, into: buffer) {
                buffer.withUnsafeBytes { run.append(key, $0) }
                left -= 1
            }
            return true
        }
    }

    private func fill(
        _ run: EntryRun, _ limit: Int, _ table: Table, _ file: HashFile
    ) throws(BackendError) -> TokyoBackend.Reading<Void> {
        guard let keys else { return .done(()) }
        var left = max(limit, 1)
        while index < keys.count, !run.isFull, left > 0 {
            if try addPast(keys[index], to: run, &left) {
                index += 1
                continue
            }
            let damage = keys[index].withUnsafeBytes { key in
                table.values.withFileKey(of: key) { fileKey -> UInt64? in
                    switch file.image.find(fileKey) {
                    case .nothing: return nil
                    case .damage(let offset): return offset
                    case .value(let content):
                        let isDone: Void? = table.values.withValue(of: content, fileKey) {
                            run.append(key, $0)
                            left -= 1
                        }
                        return isDone == nil ? file.image.offset(of: content) : nil
                    }
                }
            }
            if let damage { return .damage(file.path, damage) }
            index += 1
        }
        return .done(())
    }
}
