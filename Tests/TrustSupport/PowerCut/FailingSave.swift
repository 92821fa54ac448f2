import CabinetBackend
import CabinetTokyo

/// A save during which an operation on files fails.
package struct FailingSave: Hashable, Sendable {
    /// How many operations come before it.
    package var operation: Int
    /// Whether they are counted from the first write to the log on. Before that, the files of the
    /// view are made ready, and the log does not know of the save.
    package var countsFromLog = true
    package var fault: FaultyFiles.Fault
    /// Whether all later operations fail too, until the save has thrown.
    package var lasts: Bool

    package init(operation: Int, fault: FaultyFiles.Fault, lasts: Bool) {
        self.operation = operation
        self.fault = fault
        self.lasts = lasts
    }

    /// What to make fail. To be asked about one save only.
    package var plan: FaultyFiles.Plan {
        let counts = Guarded(countsFromLog ? -1 : 0)
        return { _, kind, path in
            let number = counts.withLock { count -> Int in
                if count < 0, kind == .write, path.contains("/log-") { count = 0 }
                guard count >= 0 else { return -1 }
                count += 1
                return count - 1
            }
            return number == operation || (lasts && number > operation) ? fault : nil
        }
    }
}
