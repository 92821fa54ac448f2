import CabinetBackend
import Foundation

/// A walk that another thread reads ahead in.
///
/// `Sendable`, because a thread that has waited for the other in vain leaves the walk alone.
final class WalkAhead: @unchecked Sendable {
    private let cursor: any RecordCursor
    private var rows: [RowID] = []
    private var failure: (any Error)?
    private let done = Signal()

    init(_ cursor: any RecordCursor) { self.cursor = cursor }

    /// Lets another thread read ahead. `false`: it has not come back after so many seconds.
    func read(within seconds: TimeInterval) -> Bool {
        Thread.detachNewThread {
            self.readAhead()
            self.done.raise()
        }
        let end = Date(timeIntervalSinceNow: seconds)
        while !done.isRaised, Date() < end { Thread.sleep(forTimeInterval: 0.001) }
        return done.isRaised
    }

    private func readAhead() {
        let run = RecordRun()
        do {
            while try cursor.nextAhead(run) == true { take(run) }
        } catch {
            failure = error
        }
    }

    /// Reads the rest, if there is any, and returns all rows that were met.
    func finish() throws -> [RowID] {
        if let failure { throw failure }
        let run = RecordRun()
        while try cursor.next(run) { take(run) }
        return rows
    }

    private func take(_ run: RecordRun) {
        while let (row, _) = run.next() { rows.append(row) }
    }
}
