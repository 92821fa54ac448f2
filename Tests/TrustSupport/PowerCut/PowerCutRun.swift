import CabinetTokyo

/// Lets a scene be cut short by the loss of power at every moment, and opens what is left.
package struct PowerCutRun {
    package struct Tally: Sendable {
        package var states = 0
        package var cuts = 0
        package var exhaustiveCuts = 0
        package var failures: [String] = []

        package init() {}

        package mutating func add(_ other: Tally) {
            states += other.states
            cuts += other.cuts
            exhaustiveCuts += other.exhaustiveCuts
            failures += other.failures
        }

        package var description: String {
            "power cuts \(cuts) (\(exhaustiveCuts) of them exhausted), states \(states), "
                + "failures \(failures.count)"
        }
    }

    package var seed: UInt64
    package var exhaustiveLimit = 128
    package var sample = 12
    package var cutsEvery = 1
    /// Of so many states one goes on working, and another is cut a second time.
    package var deepEvery = 16
    /// No more than so many failures are looked for.
    package var failureLimit = 5
    /// Replaces the files that stores are opened through after a cut.
    package var reboot: ((Int) -> any FileLayer)?

    package init(seed: UInt64) { self.seed = seed }

    /// Opens every state of `scene`, which took place in a directory that held `initial`.
    package func run(
        _ scene: LedgerScene, from initial: DiskImage = DiskImage(), depth: Int = 1
    ) throws -> Tally {
        var states = CutStates(scene.recording(from: initial), seed: seed) {
            StoreNames.isView($0)
        }
        states.exhaustiveLimit = exhaustiveLimit
        states.sample = sample
        states.cutsEvery = cutsEvery
        var verdict = PowerCutVerdict(scene)
        if let reboot { verdict.reboot = reboot }
        let directory = ScratchDirectory()
        var tally = Tally()
        var random = SeededRandom(seed: seed, part: 17)
        try states.visit { state in
            guard tally.failures.count < failureLimit else { return }
            if state.number == 0 {
                tally.cuts += 1
                tally.exhaustiveCuts += state.isExhaustive ? 1 : 0
            }
            tally.states += 1
            directory.clear()
            try state.image.write(below: directory.path)
            let goesOn = random.once(in: deepEvery)
            if let wrong = verdict.judge(directory.path, state.notes, goesOn: goesOn) {
                tally.failures.append(
                    "\(wrong) (seed \(seed), after operation \(state.operations), "
                        + "state \(state.number): \(state.image.summary))")
            }
            if depth > 0, random.once(in: deepEvery * 8) {
                tally.add(try again(scene, state, depth))
            }
        }
        return tally
    }

    /// Lets the recovery from a state, and a save after it, be cut short once more.
    private func again(_ scene: LedgerScene, _ state: CutState, _ depth: Int) throws -> Tally {
        let directory = ScratchDirectory()
        try state.image.write(below: directory.path)
        let second = LedgerScene(
            root: directory.path, seed: scene.seed, filling: scene.filling,
            durability: scene.durability, continuing: (scene, state.notes),
            weakening: { RebootedFiles($0, boot: 3, syncs: true) })
        try second.play([.save(1)])
        var run = self
        run.exhaustiveLimit = 8
        run.sample = 4
        return try run.run(second, from: state.image, depth: depth - 1)
    }
}
