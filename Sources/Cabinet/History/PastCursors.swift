import CabinetBackend

/// A walk over the rows of a ``PastReader``: those that are there now, too, in the order of the base, then the
/// others.
final class PastRecordCursor: RecordCursor {
    private let base: any RecordCursor
    private let changed: FormerContents<RowID>
    private let found = RecordRun(capacity: 4096)
    private var isBehindBase = false
    private var next = 0

    init(_ base: any RecordCursor, _ changed: FormerContents<RowID>) {
        (self.base, self.changed) = (base, changed)
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        while !isBehindBase {
            guard try base.next(found) else {
                isBehindBase = true
                break
            }
            if try takeFound(run) { return true }
        }
        return try takeMissing(run)
    }

    func nextAhead(_ run: RecordRun) throws(BackendError) -> Bool? {
        while !isBehindBase {
            guard let isThere = try base.nextAhead(found) else {
                run.removeAll()
                return nil
            }
            if !isThere { isBehindBase = true } else if try takeFound(run) { return true }
        }
        return try takeMissing(run)
    }

    /// `false` if nothing that was found was there then.
    private func takeFound(_ run: RecordRun) throws(BackendError) -> Bool {
        run.removeAll()
        while let (row, value) = found.next() {
            try changed.withContent(of: row) { content throws(BackendError) in
                switch content {
                case .same: run.append(row, value)
                case .value(let bytes): run.append(row, bytes)
                case .absent: break
                case .unknown(let commit): throw .changesGone(oldest: commit)
                }
            }
        }
        return !run.isEmpty
    }

    private func takeMissing(_ run: RecordRun) throws(BackendError) -> Bool {
        run.removeAll()
        while next < changed.count, !run.isFull {
            if !changed.isThereNow(at: next) {
                let row = changed.place(at: next)
                try changed.withContent(at: next) { content throws(BackendError) in
                    if case .value(let bytes) = content { run.append(row, bytes) }
                }
            }
            next += 1
        }
        return !run.isEmpty
    }
}

/// A walk over the entries of the catalog or the named buffers of a ``PastReader``.
final class PastEntryCursor: EntryCursor {
    private var base: (any EntryCursor)?
    private let changed: FormerContents<[UInt8]>
    private let hidesDerived: Bool
    private let found = EntryRun(capacity: 4096)
    private var next = 0

    /// - Parameters:
    ///   - base: `nil` for a walk over nothing.
    ///   - hidesDerived: whether what ``PastReader`` hides of the catalog is left out.
    init(
        _ base: (any EntryCursor)?, _ changed: FormerContents<[UInt8]>,
        hiding hidesDerived: Bool = false
    ) {
        (self.base, self.changed, self.hidesDerived) = (base, changed, hidesDerived)
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        while let base {
            guard try base.next(found, limit: limit) else {
                self.base = nil
                break
            }
            while let (key, value) = found.next() {
                if hidesDerived, PastReader.isHidden(key) { continue }
                if !changed.isEmpty, changed.contains([UInt8](key)) { continue }
                run.append(key, value)
            }
            if !run.isEmpty { return true }
        }
        var count = 0
        while next < changed.count, !run.isFull, count < max(limit, 1) {
            let name = changed.place(at: next)
            try changed.withContent(at: next) { content throws(BackendError) in
                guard case .value(let bytes) = content else { return }
                name.withUnsafeBytes { run.append($0, bytes) }
                count += 1
            }
            next += 1
        }
        return !run.isEmpty
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        throw .unsupported("a place in a table without an order")
    }
}
