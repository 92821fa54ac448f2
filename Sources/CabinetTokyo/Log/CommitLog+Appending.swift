import CabinetBackend

// Commits: their frames are appended, synced together, and taken one after the other.
extension CommitLog {
    /// Appends the frame of a commit that the next ``syncAppended()`` makes, behind its chunks if it is the
    /// one that has staged some. After a throw there is no such commit, and none may be appended behind
    /// it; those before it may be synced.
    func append(
        _ frame: UnsafeMutableRawBufferPointer, flags: FrameFlags, author: UInt32, tables: UInt64
    ) throws(BackendError) {
        guard let start = staged?.end ?? appendedEnd else { throw .logUnusable(path: paths.log) }
        let number = (appended.last?.number ?? lastCommit).next
        let size = try write(
            frame, kind: .commit, commitNumber: number, at: start,
            flags: durability == .full ? flags.union(.full) : flags, tables: tables,
            author: author)
        appended.append(Appended(number: number, end: start + size, time: frameTime))
    }

    /// Where the next commit's frame would begin.
    var appendedEnd: UInt64? { appended.last?.end ?? current?.end }

    /// Syncs the commits that were appended, at ``Durability/full``: then all of them exist, and
    /// ``takeNextAppended()`` gives one after the other. After a throw there are none of them once
    /// ``dropAppended(states:)`` was called.
    func syncAppended() throws(BackendError) {
        guard durability == .full else { return }
        guard let file = current?.file else { throw .logUnusable(path: paths.log) }
        try syncOrMark(file)
    }

    /// Takes back what was appended and staged. Whether the seal succeeds decides only what the next save
    /// finds.
    func dropAppended(states: @autoclosure () -> [TableState]) {
        appended.removeAll(keepingCapacity: true)
        guard let current else { return }
        staged = staged ?? Staged(end: current.end)
        dropStaged(tables: states())
    }

    /// The first commit that was appended is the log's last one from now on.
    ///
    /// - Precondition: there is one.
    func takeNextAppended() -> CommitNumber {
        let next = appended.removeFirst()
        staged = nil
        appendedBytes += next.end - (current?.end ?? next.end)
        current?.end = next.end
        lastCommit = next.number
        frameTime = next.time
        if durability == .full {
            current?.syncedEnd = next.end
            syncedCommit = next.number
        }
        return next.number
    }

    /// Whether what is written to the log is found by the next opening.
    /// - Throws: ``BackendError/replaced(path:)``
    func checkPlace() throws(BackendError) {
        try files.checkPlace()
        if let file = current?.file, try !files.status(of: file).isNamed {
            throw .replaced(path: paths.root)
        }
    }
}
