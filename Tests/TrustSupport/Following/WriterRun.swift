import CLibrary
import CabinetBackend
import CabinetTokyo

/// A program that writes a store for as long as it lives, while others read. It says `O` once the
/// store is open, and `A` with the number after each commit.
package struct WriterRun {
    package var directory: String
    package var seed: UInt64
    package var durability: Durability
    /// It makes so many commits before it does nothing more; 0: no limit.
    package var commits = 0
    /// It compacts after each so many commits; 0: never.
    package var compactEvery = 0
    /// Whether it closes the store in the end, instead of waiting to be killed.
    package var closes = false

    package init(directory: String, seed: UInt64, durability: Durability) {
        self.directory = directory
        self.seed = seed
        self.durability = durability
    }

    package var arguments: [String] {
        [
            "write", directory, String(seed), String(durability.rawValue), String(commits),
            String(compactEvery), String(closes),
        ]
    }

    package init?(arguments: [String]) {
        guard arguments.count == 7, arguments[0] == "write", let seed = UInt64(arguments[2]),
            let durability = UInt8(arguments[3]).flatMap(Durability.init(rawValue:)),
            let commits = Int(arguments[4]), let compactEvery = Int(arguments[5])
        else { return nil }
        self.init(directory: arguments[1], seed: seed, durability: durability)
        self.commits = commits
        self.compactEvery = compactEvery
        closes = arguments[6] == "true"
    }

    /// Starts the program.
    package func start(_ program: String) throws -> WriterProcess {
        WriterProcess(try ChildProcess(program, arguments))
    }

    /// The program's part.
    package func work(say: (String) -> Void) throws {
        let store = StoreUnderTest(
            try TokyoBackend(path: directory, durability: durability, files: SystemFiles()))
        let backend = store.backend
        var model = FollowedModel(seed: seed)
        try model.go(to: try backend.lastCommit())
        say("O \(model.commits)")
        var made = 0
        while commits == 0 || made < commits {
            let batch = backend.makeBatch()
            try model.step(batch)
            let number = try backend.commit(batch)
            guard number.rawValue == model.commits else { throw LedgerFailure("commit \(number)") }
            made += 1
            if compactEvery > 0, made % compactEvery == 0 { try store.compact() }
            say("A \(number)")
            // Readers, who compare all that they see, are to keep up.
            if commits == 0 { usleep(3_000) }
        }
        if closes { try backend.close() }
        say("D")
        while !closes { sleep(1) }
    }
}

/// A writer that was started.
package final class WriterProcess {
    package let child: ChildProcess
    /// The last commit that it said it has made, or found.
    package private(set) var acknowledged: UInt64 = 0

    init(_ child: ChildProcess) { self.child = child }

    /// Waits for the next line. `false`: there is none, or the writer has done all it was to.
    package func next() -> Bool {
        guard let line = child.nextLine() else { return false }
        guard let number = line.split(separator: " ").last.flatMap({ UInt64($0) }) else {
            return false
        }
        acknowledged = number
        return true
    }

    /// Waits until it has done all it was to.
    package func finish() { while next() {} }

    /// Kills it, and waits for its end.
    package func kill() {
        child.sendKill()
        _ = child.wait()
    }
}
