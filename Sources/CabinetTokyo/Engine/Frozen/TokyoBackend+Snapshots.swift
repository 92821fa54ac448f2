import CabinetBackend

extension TokyoBackend {
    public func snapshot() throws(BackendError) -> any BackendReader {
        try checkProcess()
        let hold = try lock.writing { () throws(BackendError) in
            try checkOpen()
            return window.hold(lastVisible)
        }
        return FrozenTokyo(self, hold)
    }

    /// A reader does not hold its commit any more.
    func release(_ hold: Hold) {
        // In a forked process another thread may have had the lock.
        guard process.isCurrent else { return }
        lock.writing { window.release(hold) }
    }
}
