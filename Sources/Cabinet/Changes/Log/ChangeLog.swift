import CabinetBackend

/// The changes of one step in their order, with the data needed to take them back.
///
/// The first two entries lie behind the header, in one block of memory: most steps have no more.
final class ChangeLog: ManagedBuffer<ChangeLog.Header, ChangeLog.Entry> {
    struct Header {
        /// Where the entries lie: behind the header while there is room, then in a block of theirs.
        fileprivate var entries: UnsafeMutablePointer<Entry>
        fileprivate var count = 0
        fileprivate var capacity = ChangeLog.ownCapacity
        fileprivate var size = 0
        /// Whether a recorder was set when the log began, so that every delete has its image.
        let isUndoable: Bool
        /// What others had changed when the log began: see ``ForeignEdits``.
        let serial: UInt32
        /// Whether it holds changes made while an object was read: taken back as a whole only.
        var holdsRead = false
        var hasEmptyEdits = false
        /// Made once there are more entries than a look through all of them is worth.
        var covered: CoveredObjects?
    }

    fileprivate static var ownCapacity: Int { 2 }
    private static let fewEntries = 8

    static func make(isUndoable: Bool, serial: UInt32 = 0) -> ChangeLog {
        let log = create(minimumCapacity: ownCapacity) { log in
            Header(
                entries: log.withUnsafeMutablePointerToElements { $0 }, isUndoable: isUndoable,
                serial: serial)
        }
        return unsafeDowncast(log, to: ChangeLog.self)
    }

    deinit {
        withUnsafeMutablePointerToHeader { header in
            header.pointee.entries.deinitialize(count: header.pointee.count)
            if header.pointee.capacity > Self.ownCapacity { header.pointee.entries.deallocate() }
        }
    }

    var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }
    var isEmpty: Bool { count == 0 }
    /// How much memory the log takes, in bytes.
    var size: Int { withUnsafeMutablePointerToHeader { $0.pointee.size } }
    var isUndoable: Bool { withUnsafeMutablePointerToHeader { $0.pointee.isUndoable } }
    var serial: UInt32 { withUnsafeMutablePointerToHeader { $0.pointee.serial } }
    var holdsRead: Bool {
        get { withUnsafeMutablePointerToHeader { $0.pointee.holdsRead } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.holdsRead = newValue } }
    }

    var hasEmptyEdits: Bool {
        get { withUnsafeMutablePointerToHeader { $0.pointee.hasEmptyEdits } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.hasEmptyEdits = newValue } }
    }
    var covered: CoveredObjects? {
        get { withUnsafeMutablePointerToHeader { $0.pointee.covered } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.covered = newValue } }
    }

    /// Calls `body` with where the entry at `index` lies: it is not copied. `body` adds no entry.
    @inline(__always)
    func withEntry<Result>(
        at index: Int, _ body: (UnsafeMutablePointer<Entry>) throws -> Result
    ) rethrows -> Result {
        try withUnsafeMutablePointerToHeader { header in
            precondition(index >= 0 && index < header.pointee.count, "no entry \(index)")
            return try body(header.pointee.entries + index)
        }
    }

    /// Calls `body` with where each entry lies, the last first. `body` adds no entry.
    @inline(__always)
    func forEachReversed(_ body: (UnsafePointer<Entry>) throws -> Void) rethrows {
        try withUnsafeMutablePointerToHeader { header in
            var index = header.pointee.count
            while index > 0 {
                index &-= 1
                try body(header.pointee.entries + index)
            }
        }
    }

    @inline(__always)
    func contains(where condition: (UnsafePointer<Entry>) -> Bool) -> Bool {
        withUnsafeMutablePointerToHeader { header in
            for index in 0..<header.pointee.count where condition(header.pointee.entries + index) {
                return true
            }
            return false
        }
    }

    // MARK: Storing

    func reserveBytes(for more: Int) {
        withUnsafeMutablePointerToHeader { Self.reserveBytes(for: more, $0) }
    }

    @inline(__always)
    private static func reserveBytes(for more: Int, _ header: UnsafeMutablePointer<Header>) {
        if header.pointee.count + more > header.pointee.capacity { grow(header, by: more) }
    }

    @inline(never)
    private static func grow(_ header: UnsafeMutablePointer<Header>, by more: Int) {
        let (count, capacity) = (header.pointee.count, header.pointee.capacity)
        let old = header.pointee.entries
        header.pointee.capacity = max(count + more, 2 * capacity)
        header.pointee.entries = .allocate(capacity: header.pointee.capacity)
        header.pointee.entries.moveInitialize(from: old, count: count)
        if capacity > ownCapacity { old.deallocate() }
    }

    func append(_ entry: consuming Entry) {
        let size = entry.size
        append(entry, size: size)
    }

    /// Appends what was made of one list. `edit` is the number of an edit that goes on.
    @inline(__always)
    func append(
        _ list: consuming ListEdit, edit: UInt32 = 0, of storedClass: Unmanaged<StoredClass>,
        _ row: RowID, priorState: ObjectState
    ) {
        let size = Entry.leastSize + list.size
        append(
            Entry(list, edit, of: storedClass, row, priorState: priorState),
            size: size)
    }

    @inline(__always)
    private func append(_ entry: consuming Entry, size: Int) {
        let end = withUnsafeMutablePointerToHeader { header in
            Self.reserveBytes(for: 1, header)
            return header.pointee.entries + header.pointee.count
        }
        end.initialize(to: entry)
        withUnsafeMutablePointerToHeader { header in
            header.pointee.count &+= 1
            header.pointee.size &+= size
        }
        if count > Self.fewEntries { noteCovered() }
    }

    /// Makes `list` what the entry at `index`, of an edit that went on, has made of its list.
    func end(at index: Int, as list: consuming ListEdit) {
        let size = list.size
        let entry = withEntry(at: index) { $0 }
        entry.pointee.list = list
        entry.pointee.edit = 0
        withUnsafeMutablePointerToHeader { $0.pointee.size &+= size }
    }

    func removeLast() {
        withUnsafeMutablePointerToHeader { header in
            guard header.pointee.count > 0 else { return }
            header.pointee.count -= 1
            let last = header.pointee.entries + header.pointee.count
            header.pointee.size -= last.pointee.size
            last.deinitialize(count: 1)
        }
    }

    func removeAll(where isGone: (UnsafePointer<Entry>) -> Bool) {
        withUnsafeMutablePointerToHeader { header in
            let entries = header.pointee.entries
            var (kept, size) = (0, 0)
            for index in 0..<header.pointee.count {
                let entry = entries + index
                if isGone(entry) {
                    entry.deinitialize(count: 1)
                } else {
                    size += entry.pointee.size
                    if kept < index { (entries + kept).moveInitialize(from: entry, count: 1) }
                    kept += 1
                }
            }
            (header.pointee.count, header.pointee.size) = (kept, size)
        }
    }
}
