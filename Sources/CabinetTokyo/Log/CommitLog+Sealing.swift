import CabinetBackend

// Making durable, and going on in another segment.
extension CommitLog {
    /// Makes every commit durable. Frames that a failing sync leaves in doubt are written again to
    /// another segment and synced there, yet the error is thrown.
    func sync(tables: [TableState]) throws(BackendError) {
        try sealIfFaulty(tables: tables)
        guard syncedCommit < lastCommit else { return }
        do {
            for segment in unsynced { try syncOrMark(segment.file) }
            if let file = current?.file { try syncOrMark(file) }
        } catch {
            try? sealIfFaulty(tables: tables)
            throw error
        }
        noteSynced()
    }

    func noteSynced() {
        unsynced = []
        syncedCommit = lastCommit
        if let end = current?.end { current?.syncedEnd = end }
    }

    /// Begins the next segment, so that this one changes no more.
    func roll(tables: [TableState]) throws(BackendError) { try seal(tables: tables) }

    func sealIfFaulty(
        tables: @autoclosure () -> [TableState]
    ) throws(BackendError) {
        if fault != nil { try seal(tables: tables()) }
    }

    /// Makes the next segment. After a failed sync it takes over every acknowledged commit that
    /// is not known to be durable, as the pages that hold them cannot be trusted.
    func seal(tables: [TableState]) throws(BackendError) {
        window.close()
        try checkPlace()
        let isUntrusted = fault == .sync
        var predecessor = current
        var stretches: [SegmentMaker.Stretch] = []
        var firstCommit = lastCommit.next
        if isUntrusted {
            let doubtful = unsynced + (current.map { [$0] } ?? [])
            predecessor = doubtful.first
            firstCommit = syncedCommit.next
            if syncedCommit < lastCommit {
                stretches = doubtful.map {
                    SegmentMaker.Stretch(segment: $0.number, start: $0.syncedEnd, end: $0.end)
                }
            }
        }
        if fault == nil { try? trim() }
        highestSegment += 1
        let header = SegmentHeader(
            store: store, segment: highestSegment, firstCommit: firstCommit,
            predecessor: predecessor?.number ?? 0,
            predecessorEnd: (isUntrusted ? predecessor?.syncedEnd : predecessor?.end) ?? 0,
            syncedCommit: syncedCommit, time: SystemClock.microseconds(), line: line)
        let made: (file: OpenFile, end: UInt64)
        do {
            made = try SegmentMaker(files: files, paths: paths)
                .make(header, tables: tables, session: session, copying: stretches)
        } catch {
            // The successor may have its name by now, and says where this segment ends: nothing
            // may follow here, whatever the disk shows.
            let isFirst = fault == nil
            if current != nil { fault = fault ?? .append }
            switch error {
            case .diskFull, .replaced: throw error
            default: throw isFirst ? error : .logUnusable(path: paths.root)
            }
        }
        if isUntrusted {
            unsynced = []
            syncedCommit = lastCommit
        } else if let current, current.syncedEnd < current.end, syncedCommit < lastCommit {
            unsynced.append(current)
        }
        current = Segment(
            number: highestSegment, file: made.file, end: made.end, syncedEnd: made.end)
        reserved = made.end
        fault = nil
    }

    /// Takes note that a durable snapshot holds all commits up to `commitNumber`, and that of the
    /// segments only those are left.
    func noteSnapshot(_ commitNumber: CommitNumber, segments: Set<UInt64>) {
        unsynced.removeAll { !segments.contains($0.number) }
        syncedCommit = max(syncedCommit, commitNumber)
    }

    /// Closes all files.
    func close() {
        window.close()
        current = nil
        unsynced = []
        staged = nil
    }

    /// Ends the use of the log, all of which is durable: frees the disk space that was not used.
    func finish() throws(BackendError) {
        try trim()
        if let file = current?.file { try syncOrMark(file) }
    }

    /// Gives back what was reserved and not used.
    func trim() throws(BackendError) {
        window.close()
        guard let current, reserved > current.end else { return }
        try files.truncate(current.file, to: current.end)
        reserved = current.end
    }
}
