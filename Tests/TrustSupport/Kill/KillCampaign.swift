/// Many kills, on one store after another.
package struct KillCampaign: Sendable {
    package var program: String
    package var seed: UInt64
    package var count: Int
    /// How many kills fall on one store before the next one begins with nothing.
    package var killsPerStore = 50
    /// Every so manieth store is one of objects; 0 for none.
    package var objectsEvery = 4

    /// `program` is the worker.
    package init(program: String, seed: UInt64, count: Int) {
        self.program = program
        self.seed = seed
        self.count = count
    }

    /// Does its part of the kills: that of `lane` of `lanes` which may go on at once.
    package func run(
        lane: Int, of lanes: Int, progress: (KillTally) -> Void = { _ in }
    ) throws -> KillTally {
        var sum = KillTally()
        let stores = (count + killsPerStore - 1) / killsPerStore
        for store in 0..<stores where store % lanes == lane {
            sum.add(try life(of: store))
            progress(sum)
            if sum.losses.count > 20 { break }
        }
        return sum
    }

    private func life(of store: Int) throws -> KillTally {
        let isOfObjects = objectsEvery > 0 && store % objectsEvery == objectsEvery - 1
        return isOfObjects
            ? try life(of: store, ObjectLedger.self, .objects)
            : try life(of: store, Ledger.self, .tables)
    }

    private func life<Model: KillModel>(
        of store: Int, _ model: Model.Type, _ subject: WorkSubject
    ) throws -> KillTally {
        let directory = ScratchDirectory()
        let order = WorkOrder(
            subject, directory: directory.path, seed: seed &* 1_000_003 &+ UInt64(store),
            filling: [60, 6000][store / 2 % 2], durability: [.full, .process][store / 4 % 2],
            saves: 0)
        var run = KillRun<Model>(program: program, order: order)
        for _ in 0..<min(killsPerStore, count) {
            guard try run.kill() else {
                directory.isKept = true
                return run.tally
            }
        }
        _ = try run.end()
        return run.tally
    }
}
