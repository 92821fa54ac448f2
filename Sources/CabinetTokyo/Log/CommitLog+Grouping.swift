import CabinetBackend

// Several commits that share one sync.
extension CommitLog {
    /// Appends the frame of a commit that the next ``syncAppended(states:)`` makes. After a throw there
    /// is no such commit, and none may be appended behind it; those before it may be synced.
    func append(
        _ frame: UnsafeMutableRawBufferPointer, flags: FrameFlags, author: UInt32, tables: UInt64
    ) throws(BackendError) {
        guard let start = appended.last?.end ?? current?.end, staged == nil else {
            throw .logUnusable(path: paths.log)
        }
        let number = (appended.last?.number ?? lastCommit).next
        let size = try write(
            frame, kind: .commit, commitNumber: number, at: start, flags: flags.union(.full),
            tables: tables, author: author)
        appended.append(Appended(number: number, end: start + size, time: frameTime))
    }

    /// Where the next commit's frame would begin.
    var appendedEnd: UInt64? { appended.last?.end ?? current?.end }

    /// Syncs the commits that were appended: then all of them are certain, and ``takeNextAppended()``
    /// gives one after the other. After a throw there are none of them.
    func syncAppended(states: @autoclosure () -> [TableState]) throws(BackendError) {
        do throws(BackendError) {
            guard let file = current?.file else { throw .logUnusable(path: paths.log) }
            try syncOrMark(file)
        } catch {
            dropAppended(states: states())
            throw error
        }
    }

    /// Takes back what was appended. Whether the seal succeeds decides only what the next save finds.
    func dropAppended(states: @autoclosure () -> [TableState]) {
        appended = []
        guard let current else { return }
        staged = Staged(end: current.end)
        dropStaged(tables: states())
    }

    /// The first commit that was appended and synced is the log's last one from now on.
    ///
    /// - Precondition: there is one.
    func takeNextAppended() -> CommitNumber {
        let next = appended.removeFirst()
        appendedBytes += next.end - (current?.end ?? next.end)
        current?.end = next.end
        current?.syncedEnd = next.end
        lastCommit = next.number
        syncedCommit = next.number
        frameTime = next.time
        return next.number
    }
}
