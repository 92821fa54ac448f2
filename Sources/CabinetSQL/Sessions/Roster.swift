import CabinetBackend

/// Who uses a store: its rows in the table of sessions, one for each open backend.
///
/// Each session that holds a commit says so, and that it is alive, once in a while. Which sessions are alive
/// and how long ago something happened is told by what this process itself has seen, so that clocks that are
/// set do no harm. `Sendable`, because a lock guards its state.
package final class Roster: Sendable {
    private struct State {
        /// What this session is registered to hold.
        var hold: CommitNumber?
        /// When each other session was first seen with the beat that it has.
        var beats: [Int64: (beat: Int64, since: Duration)] = [:]
        /// What the last commit was at some times of the recent past.
        var commits: [(time: Duration, last: Int64)] = []
    }

    /// The number of this session.
    package let id = Int64.random(in: 1...Int64.max)
    private let host: any SQLHost
    private let grace: Duration
    private let state = Guarded(State())

    /// - Parameter grace: how long a session that gives no sign of life keeps what it holds, and what was
    ///   replaced is kept for readers that are not registered yet.
    init(_ host: any SQLHost, grace: Duration) {
        self.host = host
        self.grace = grace
    }

    /// What this session is known to hold by others.
    var registered: CommitNumber? { state.withLock { $0.hold } }

    /// Registers this session, or what it holds by now. In a transaction that writes.
    func register(_ hold: CommitNumber?, in session: Session) throws(BackendError) {
        let beat = try session.statement(
            "UPDATE sessions SET beat = beat + 1, hold = $1 WHERE id = $2")
        Self.bind(hold, to: beat)
        beat.bind(id, at: 2)
        if try beat.run() == 0 {
            let enter = try session.statement(
                "INSERT INTO sessions (hold, id, realm, process, began, beat) "
                    + "VALUES ($1, $2, $3, $4, $5, 0)")
            let user = host.user
            Self.bind(hold, to: enter)
            enter.bind(id, at: 2)
            enter.bind(user.realm, at: 3)
            enter.bind(user.process, at: 4)
            enter.bind(user.began, at: 5)
            try enter.run()
        }
        note(hold)
    }

    /// Others know now that this session holds a commit.
    package func note(_ hold: CommitNumber?) { state.withLock { $0.hold = hold } }

    private static func bind(_ hold: CommitNumber?, to statement: any SQLStatement) {
        if let hold { statement.bind(hold.number, at: 1) } else { statement.bindNull(at: 1) }
    }

    /// Takes this session off the list, with all that it does.
    func leave(_ session: Session) throws(BackendError) { try remove(id, from: session) }

    private func remove(_ id: Int64, from session: Session) throws(BackendError) {
        for text in ["DELETE FROM work WHERE session = $1", "DELETE FROM sessions WHERE id = $1"] {
            let statement = try session.statement(text)
            statement.bind(id, at: 1)
            try statement.run()
        }
    }

    // MARK: Others

    /// The columns of a session, as ``ListedSession`` has them.
    package static let columns = "id, realm, process, began, beat, hold"

    /// The other sessions, without those that have ended, which are taken off the list. In a transaction that
    /// writes.
    func others(in session: Session) throws(BackendError) -> OtherSessions {
        let others = judge(try list(session))
        for ended in others.ended {
            try remove(ended.id, from: session)
            if host.hasEnded(ended.user) == true { continue }
            // One that only sleeps goes on with the rows that it has reserved.
            try session.connection.run(
                "UPDATE numbers SET highest = next - 1 WHERE next - 1 > highest")
        }
        return others
    }

    /// Tells apart what a list of the sessions says.
    package func judge(_ list: [ListedSession]) -> OtherSessions {
        var others = OtherSessions()
        for other in list where other.id != id {
            if hasEnded(other) {
                others.ended.append(other)
            } else if isSilent(other) {
                others.silent.append(other)
            } else {
                others.alive.append(other)
            }
        }
        return others
    }

    private func list(_ session: Session) throws(BackendError) -> [ListedSession] {
        let statement = try session.statement("SELECT \(Self.columns) FROM sessions")
        defer { statement.reset() }
        var found: [ListedSession] = []
        while try statement.step() {
            let user = SQLUser(
                realm: statement.text(1), process: statement.number(2),
                began: statement.number(3))
            found.append(
                ListedSession(
                    id: statement.number(0), user: user, beat: statement.number(4),
                    hold: statement.isNull(5) ? nil : CommitNumber(number: statement.number(5))))
        }
        return found
    }

    /// Of a process that cannot be seen from here, its silence is taken for its end.
    package func hasEnded(_ other: ListedSession) -> Bool {
        host.hasEnded(other.user) ?? isSilent(other)
    }

    private func isSilent(_ other: ListedSession) -> Bool {
        let (id, beat) = (other.id, other.beat)
        let now = Clock.monotonic()
        return state.withLock { state in
            guard let seen = state.beats[id], seen.beat == beat else {
                state.beats[id] = (beat, now)
                return false
            }
            return now - seen.since >= grace
        }
    }

    /// Whether the session of that number is there, and has not ended. In a transaction that writes.
    func isThere(_ id: Int64, in session: Session) throws(BackendError) -> Bool {
        if id == self.id { return true }
        return try list(session).first { $0.id == id }.map { !hasEnded($0) } ?? false
    }

    /// The last commit that is known to have been made at least as long ago as the grace lasts.
    /// - Parameter last: the last commit by now.
    package func settled(last: Int64) -> CommitNumber {
        let now = Clock.monotonic()
        return state.withLock { state in
            state.commits.append((now, last))
            var settled: Int64 = 0
            while let first = state.commits.first, now - first.time >= grace {
                settled = first.last
                // The next one may be settled, too.
                guard state.commits.count > 1, now - state.commits[1].time >= grace else { break }
                state.commits.removeFirst()
            }
            return CommitNumber(number: settled)
        }
    }
}

/// A session as the list has it. `Sendable`: a value.
package struct ListedSession: Sendable {
    package var id: Int64
    package var user: SQLUser
    /// Grows with each sign of life.
    package var beat: Int64
    /// The oldest commit that it holds.
    package var hold: CommitNumber?

    package init(id: Int64, user: SQLUser, beat: Int64, hold: CommitNumber?) {
        (self.id, self.user, self.beat, self.hold) = (id, user, beat, hold)
    }
}

/// The sessions besides one's own. `Sendable`: a value.
package struct OtherSessions: Sendable {
    package var ended: [ListedSession] = []
    /// Those that have not ended, and give no sign of life.
    package var silent: [ListedSession] = []
    package var alive: [ListedSession] = []

    /// Whether none may use the store.
    package var areNone: Bool { silent.isEmpty && alive.isEmpty }
    /// The oldest commit that one of them holds that gives signs of life.
    package var oldest: CommitNumber? { alive.compactMap(\.hold).min() }
}
