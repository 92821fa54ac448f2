import CabinetBackend

extension TokyoBackend {
    public func snapshot(label: String) throws(BackendError) -> any BackendReader {
        try checkProcess()
        let hold = try lock.writing { () throws(BackendError) in
            try checkOpen()
            return window.hold(lastVisible, label: label)
        }
        return FrozenTokyo(self, hold)
    }

    public var openSnapshots: [OpenSnapshot] {
        // In a forked process another thread may have had the lock.
        guard process.isCurrent else { return [] }
        return lock.reading { window.openSnapshots }
    }

    /// A reader does not hold its commit any more.
    func release(_ hold: Hold) {
        guard process.isCurrent else { return }
        lock.writing { window.release(hold) }
    }
}
