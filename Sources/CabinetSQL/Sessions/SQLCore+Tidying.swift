import CabinetBackend

extension SQLCore {
    /// So many past rows or keys are removed in one transaction, so that others can write in between.
    package static let slice = 10_000

    /// What is due from time to time: says what is held here, and removes what no reader needs any more.
    /// What fails is tried again the next time.
    func tidy() {
        do throws(BackendError) {
            let oldest = holds.oldest
            if oldest != nil || roster.registered != nil || works.areThere || host.isFarAway {
                try tellHolds()
            }
            if access == .readWrite { try removePast() }
        } catch {
            options.log(.debug, "\(host.location) was not tidied: \(error)")
        }
    }

    /// Removes what was replaced by commits up to which no reader asks any more.
    /// - Parameter limit: how many transactions of much are made at most.
    package func removePast(limit: Int = .max) throws(BackendError) {
        try pool.checkOpen()
        guard try route.giveUpPast(self) else { return }
        var left = limit
        while left > 0, try route.removeSomePast(self) { left -= 1 }
    }

    /// Removes all that no reader and no name of the feed needs, and what the database keeps of it so far as
    /// it can be asked to.
    /// - Throws: ``BackendError/busy(path:holder:)`` if a reader needs what commits up to that one have replaced.
    func erasePast(upTo number: CommitNumber) throws(BackendError) {
        try route.trimFeed(to: 0, self)
        try removePast()
        let oldest = try route.state(self).oldest
        guard oldest >= number.number else {
            throw .busy(path: host.location, holder: "a reader as of commit \(oldest)")
        }
        try host.rewrite()
    }

    /// What a program removes that ends, so that those that never run for long leave nothing behind.
    static let slicesAtTheEnd = 10
}
