import CabinetBackend

/// What precedes the writing of a store file, which has no commits: triggers are called for them now, and what they
/// have replaced is brought into tables, which it has.
///
/// `Sendable`: a thread that is not the store's may wait for that.
struct CommitClosing: Sendable {
    private let backend: any Backend
    private let triggers: SettledTriggers

    init(of store: Store) {
        (backend, triggers) = (store.backend, SettledTriggers(of: store))
    }

    /// How long it looks for a moment at which no other store has just committed.
    private static let patience = Duration.seconds(5)

    /// Has `body` write all commits up to the last one.
    ///
    /// - Parameter body: is given the commit that the file must be as of; `nil`: any. `false`: others have committed
    ///   meanwhile, and nothing was written. Then it is called again.
    /// - Returns: whether history and triggers go on from the file. If not, triggers fail or take long, or others
    ///   commit all the time.
    func write(_ body: (CommitNumber?) throws -> Bool) throws -> Bool {
        let end = ContinuousClock.now + Self.patience
        repeat {
            let last = try HistoryMove(backend).close(until: end) {
                let (readers, last) = try triggers.settled()
                return HistoryMove.Closing(readers: readers, last: last)
            }
            if last == nil, ContinuousClock.now >= end { break }
            if try body(last) { return true }
        } while ContinuousClock.now < end
        _ = try body(nil)
        return false
    }
}
