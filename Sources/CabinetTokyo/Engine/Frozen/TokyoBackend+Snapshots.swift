import CabinetBackend

extension TokyoBackend {
    public func snapshot(label: String) throws(BackendError) -> any BackendReader {
        try checkProcess()
        let hold = try lock.writing { () throws(BackendError) in
            try checkOpen()
            letGoOfReleased()
            return window.hold(lastVisible, label: label)
        }
        return FrozenTokyo(self, hold)
    }

    /// A reader of that label begins to hold the last commit; with the lock.
    @inline(__always)
    func hold(for label: String?) -> Hold? {
        label.map { window.hold(lastVisible, label: $0) }
    }

    public var openSnapshots: [OpenSnapshot] {
        // In a forked process another thread may have had the lock.
        guard process.isCurrent else { return [] }
        return lock.reading { window.openSnapshots }
    }

    /// A reader does not hold its commit any more. If the lock is in use, the next commit or reader
    /// lets go of it: many stores that read anew would wait for one another.
    func release(_ hold: Hold) {
        guard process.isCurrent else { return }
        hold.release()
        hasReleased.store(true, ordering: .releasing)
        lock.writingIfFree { letGoOfReleased() }
    }

    /// Lets go of the commits whose readers are gone; with the lock.
    func letGoOfReleased() {
        guard hasReleased.exchange(false, ordering: .acquiringAndReleasing) else { return }
        window.releaseAll()
        if !window.isKeeping, !feedIsRead { recent.clear(upTo: lastVisible) }
    }
}
