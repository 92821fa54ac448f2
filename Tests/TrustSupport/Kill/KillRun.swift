import CabinetBackend

/// What a store that is killed must hold: a model that knows which save comes next.
package protocol KillModel {
    var saves: Int { get }
    /// Equal for equal contents.
    var digest: UInt64 { get }
    init(seed: UInt64, filling: Int)
    /// The model with the next save, in which `rows` are new; the row 0 stands for none.
    func afterNextSave(rows: ClosedRange<RowID>) -> Self
}

extension Ledger: KillModel {
    package func afterNextSave(rows: ClosedRange<RowID>) -> Ledger {
        applying(nextSave(rows: rows))
    }
}

extension ObjectLedger: KillModel {
    package func afterNextSave(rows: ClosedRange<RowID>) -> ObjectLedger {
        applying(nextSave())
    }
}

/// A store whose user is killed again and again, and the model of what it must hold.
package struct KillRun<Model: KillModel> {
    private let program: String
    private var order: WorkOrder
    private var random: SeededRandom
    private var ledger: Model
    /// With the save in flight, which may or may not be there.
    private var next: Model?
    /// The rows that acknowledged saves have used.
    private var usedRows: [ClosedRange<RowID>] = []
    private var nextRows: ClosedRange<RowID>?
    package private(set) var tally = KillTally()

    /// A run over the empty directory that `order` names. `program` is the worker.
    package init(program: String, order: WorkOrder) {
        self.program = program
        self.order = order
        random = SeededRandom(seed: order.seed, part: 0)
        ledger = Model(seed: order.seed, filling: order.filling)
    }

    /// Kills a worker, and lets the one after it see what it left. `false`: something was lost.
    package mutating func kill() throws -> Bool {
        order.saves = 100_000
        order.compactEvery = random.once(in: 3) ? 3 + random.below(20) : 0
        order.killPoint = nil
        var acknowledgements = Int.max
        switch random.below(8) {
        case 0...3:
            // Opening takes some tens of steps, a save a few.
            let step = random.below(random.once(in: 3) ? 40 : 160)
            order.killPoint = [.before(step), .after(step), .within(step)][random.below(3)]
        case 4: acknowledgements = 0
        default: acknowledgements = random.below(20)
        }
        let delay = random.below(4000)
        tally.kills += 1
        return try live(killedAfter: acknowledgements, delay: delay, endsWell: false)
    }

    /// Lets a worker open the store, save a little and close it in good order.
    package mutating func end() throws -> Bool {
        order.saves = 2
        order.compactEvery = 0
        order.killPoint = nil
        return try live(killedAfter: .max, delay: 0, endsWell: true)
    }

    private mutating func live(
        killedAfter limit: Int, delay: Int, endsWell: Bool
    ) throws -> Bool {
        let child = try ChildProcess(program, order.arguments)
        var acknowledged = 0
        var isOpen = false
        var isClosed = false
        if limit == 0 {
            child.pauseThenKill(microseconds: delay * 8)
        }
        while let line = child.nextLine() {
            guard let report = WorkReport(line: line) else { return fail("said '\(line)'") }
            switch report {
            case .opened(let digest, let saves, let time):
                isOpen = true
                tally.recoveries += 1
                tally.longestRecovery = max(tally.longestRecovery, time)
                guard resolve(digest) else {
                    return fail(
                        "opened with \(saves) saves, not \(ledger.saves)"
                            + (next == nil ? "" : " or one more") + ", or with other contents")
                }
            case .began(let save, let rows):
                let isFree = rows.map { rows in !usedRows.contains { $0.overlaps(rows) } } ?? true
                guard save == ledger.saves + 1, isFree else {
                    return fail("save \(save) got rows \(rows ?? 0...0), which were used")
                }
                next = ledger.afterNextSave(rows: rows ?? 0...0)
                nextRows = rows
            case .acknowledged:
                acknowledgeNext()
                acknowledged += 1
                if acknowledged == limit { child.pauseThenKill(microseconds: delay) }
            case .closed: isClosed = true
            case .failed(let text): return fail("failed: \(text)")
            }
        }
        let end = child.wait()
        if endsWell { return isOpen && isClosed && end == .exit(0) || fail("ended with \(end)") }
        return end == .signal(9) || fail("ended with \(end)")
    }

    private mutating func acknowledgeNext() {
        guard let kept = next else { return }
        ledger = kept
        if let nextRows { usedRows.append(nextRows) }
        nextRows = nil
        next = nil
        tally.acknowledged += 1
    }

    /// Finds out whether the save in flight is there. `false`: the store holds something else.
    private mutating func resolve(_ digest: UInt64) -> Bool {
        if digest == ledger.digest {
            next = nil
            return true
        }
        guard let kept = next, digest == kept.digest else { return false }
        ledger = kept
        if let nextRows { usedRows.append(nextRows) }
        nextRows = nil
        next = nil
        tally.inFlightKept += 1
        return true
    }

    private mutating func fail(_ text: String) -> Bool {
        tally.losses.append("\(text) (\(order.arguments.joined(separator: " ")))")
        return false
    }
}

extension ChildProcess {
    /// Lets the child run on for a moment of no exact length.
    func pauseThenKill(microseconds: Int) {
        briefPause(microseconds)
        sendKill()
    }
}
