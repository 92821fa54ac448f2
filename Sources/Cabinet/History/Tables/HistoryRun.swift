import CabinetBackend
import Foundation

/// Has a worker move what commits have replaced into tables of history, before the log loses it.
struct HistoryJob: FeedJob {
    let name = HistoryPart.name
    let claim = HistoryPart.name
    let patience = 0.001
    let log: LogSink
    let waiting: WaitingChanges

    func makeRun(over backend: any Backend) -> any FeedRun { HistoryRun(backend, log, waiting) }
}

/// Moves what commits have replaced into tables of history. Of the worker's thread.
final class HistoryRun: FeedRun {
    private let backend: any Backend
    private let log: LogSink
    private let changes: WaitingChanges
    /// Passes over the commits behind the position.
    private var cursor: (any ChangeCursor)?
    private var waiting: UInt64 = 0
    /// Commits up to this one do not wait: they were moved, or have moved others.
    private var passed: CommitNumber = 0
    private var pause = 0.0

    /// How many bytes of commits wait before they are moved, as the history of an object reads all of them: 256
    /// KiB.
    static let waitingLimit: UInt64 = 256 << 10

    init(_ backend: any Backend, _ log: LogSink, _ changes: WaitingChanges) {
        (self.backend, self.log, self.changes) = (backend, log, changes)
    }

    func work(until hasEnded: () -> Bool) -> Double? {
        do {
            try backend.refreshBesideOthers()
            while !hasEnded(), let commit = try next() {
                try changes.note(commit, in: backend)
                guard commit.number > passed else { continue }
                waiting += UInt64(commit.size)
                guard waiting >= Self.waitingLimit else { continue }
                passed = try move(until: hasEnded)
                // The feed has given up what was moved, so the walk begins anew behind it.
                (waiting, cursor) = (0, nil)
            }
            pause = 0
            return nil
        } catch {
            (waiting, cursor) = (0, nil)
            if case BackendError.changesGone = error, !hasEnded() { return beginAnew() }
            // History was moved or purged meanwhile.
            if case BackendError.conflict = error { return 0 }
            return goOn(after: error, hasEnded: hasEnded())
        }
    }

    /// Moves all that there is, part by part, and takes note of what is committed meanwhile.
    /// - Returns: a commit up to which all was moved, or has moved others.
    private func move(until hasEnded: () -> Bool) throws(BackendError) -> CommitNumber {
        while true {
            // What is committed from now on may not be moved.
            let last = try backend.lastCommit()
            guard !hasEnded(), try HistoryMove(backend).movePart() else { return last }
            try noteNewCommits()
        }
    }

    private func noteNewCommits() throws(BackendError) {
        guard !backend.hasOtherWriters,
            let kept = try backend.keptChanges(for: HistoryPart.name)
        else { return }
        changes.remove(upTo: kept.position.commit)
        let end = try backend.lastCommit()
        let cursor = try backend.changes(after: max(changes.last, kept.position.commit))
        while changes.last < end, let commit = try cursor.next() {
            try changes.note(commit, in: backend)
        }
    }

    /// The feed has given up what was to be moved, as it had more bytes than are kept.
    private func beginAnew() -> Double? {
        do {
            if try HistoryPart.keepCommits(in: backend) != .kept {
                log(.error, HistoryPart.lossDescription)
            }
            return 0
        } catch { return goOn(after: error, hasEnded: false) }
    }

    private func goOn(after error: any Error, hasEnded: Bool) -> Double? {
        if hasEnded || (try? backend.lastCommit()) == nil { return nil }
        pause = min(max(2 * pause, 0.1), 60)
        log(.error, "History could not be moved out of the log, which is tried again: \(error)")
        return pause
    }

    private func next() throws(BackendError) -> CommittedChanges? {
        if let cursor { return try cursor.next() }
        guard let kept = try backend.keptChanges(for: HistoryPart.name) else { return nil }
        let made = try backend.changes(after: kept.position)
        cursor = made
        return try made.next()
    }
}
