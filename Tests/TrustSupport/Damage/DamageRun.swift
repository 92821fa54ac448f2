import CabinetBackend
import CabinetTokyo
import Synchronization

/// A small store, closed in order or not, whose files are damaged at one offset at a time.
package struct DamageRun: Sendable {
    package var seed: UInt64
    package var isClosed: Bool
    /// How many damages are tried; `nil` for all there are.
    package var count: Int?
    /// Of so many runs that share the damages, the one with this number.
    package var lane = 0
    package var lanes = 1

    static let filling = 60

    package init(seed: UInt64, isClosed: Bool, count: Int?) {
        self.seed = seed
        self.isClosed = isClosed
        self.count = count
    }

    /// The arguments that describe the run to a child process, from one damage on.
    package func arguments(from first: Int) -> [String] {
        [
            "damage", String(seed), isClosed ? "closed" : "open", String(count ?? -1),
            String(lane), String(lanes), String(first),
        ]
    }

    package init?(arguments: [String]) {
        guard arguments.count == 7, arguments[0] == "damage", let seed = UInt64(arguments[1]),
            let count = Int(arguments[3]), let lane = Int(arguments[4]),
            let lanes = Int(arguments[5]), lanes > 0
        else { return nil }
        self.init(seed: seed, isClosed: arguments[2] == "closed", count: count < 0 ? nil : count)
        self.lane = lane
        self.lanes = lanes
    }

    /// The store, and what it holds. The same for the same seed, but for times and numbers drawn.
    private func make() throws -> (image: DiskImage, ledger: Ledger) {
        let directory = ScratchDirectory()
        let store = try StoreUnderTest.open(
            directory.path, durability: .full, files: Self.files())
        var ledger = Ledger(seed: seed, filling: Self.filling)
        for _ in 0..<6 {
            let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
            let changes = ledger.nextSave(rows: rows)
            _ = try store.backend.commit(changes)
            ledger.apply(changes)
        }
        if isClosed { try store.backend.close() }
        var image = try DiskImage(readingFrom: directory.path)
        image.trimReserve()
        // Only salvage reads it.
        image.files["Catalog.copy"] = nil
        return (image, ledger)
    }

    /// The machine runs on, and the store is where it was.
    private static func files() -> any FileLayer {
        WeakFiles.WithoutBootCheck(RebootedFiles())
    }

    /// The child's part: tries the damages from `first` on and says before each that it does, and
    /// what was wrong with it.
    package func work(from first: Int, say: (String) -> Void) throws {
        let (image, ledger) = try make()
        let damages =
            count.map { Damage.sample(of: image, count: $0, seed: seed) }
            ?? Damage.all(of: image, seed: seed)
        let directory = ScratchDirectory()
        say("N \(damages.count)")
        for (number, damage) in damages.enumerated().dropFirst(first)
        where number % lanes == lane {
            say("T \(number) \(damage)")
            directory.clear()
            var damaged = image
            damage.apply(to: &damaged)
            try damaged.write(below: directory.path)
            if let wrong = judge(directory.path, damage, ledger) { say("W \(wrong)") }
        }
        say("C")
    }

    /// What is wrong: `nil` for right data and for an error that says that the store is damaged.
    /// A view is no reason for an error: it rebuilds from the log. And where a store was closed in
    /// order, not a byte of a view changes without a word.
    private func judge(_ root: String, _ damage: Damage, _ ledger: Ledger) -> String? {
        let isView = StoreNames.isView(damage.file)
        let words = Words()
        do {
            let store = try StoreUnderTest.open(
                root, durability: .full, files: Self.files(),
                log: LogSink { level, _ in if level >= .notice { words.add() } })
            let found = try store.backend.readLedger(seed: ledger.seed, filling: Self.filling)
            if let difference = found.difference(from: ledger) { return difference }
            return isView && isClosed && words.count == 0 ? "it rebuilt without a word" : nil
        } catch let error as BackendError {
            switch error {
            case .corrupt, .newerFormat: return isView ? "not rebuilt: \(error)" : nil
            default: return "\(error)"
            }
        } catch {
            return "\(error)"
        }
    }

    /// The parent's part: lets children try everything. Returns how many were tried, and what was
    /// wrong.
    package func run(program: String, failureLimit: Int = 10) throws -> (
        tried: Int, wrong: [String]
    ) {
        var wrong: [String] = []
        var tried = 0
        var next = 0
        while wrong.count < failureLimit {
            let child = try ChildProcess(program, arguments(from: next))
            var current = ""
            var isDone = false
            while let line = child.nextLine() {
                let text = String(line.dropFirst(2))
                switch line.first {
                case "T":
                    current = text
                    tried += 1
                    next = (text.split(separator: " ").first.flatMap { Int($0) } ?? next) + 1
                case "W": wrong.append("\(current): \(text)")
                case "C": isDone = true
                default: break
                }
            }
            let end = child.wait()
            if isDone { break }
            wrong.append("\(current): the process ended with \(end)")
            if end == .exit(1) { break }
        }
        return (tried, wrong)
    }
}

extension DiskImage {
    /// Files in use were given room that is zeros by the mebibyte. A page of it stands for the
    /// rest.
    fileprivate mutating func trimReserve() {
        for (path, file) in files {
            let used = ((file.content.last?.index ?? 0) + 1) * SparseFile.sectorSize
            files[path]?.truncate(to: min(file.size, used + 4096))
        }
    }
}

/// Counts the messages of a log sink.
private final class Words: Sendable {
    private let number = Atomic(0)
    func add() { number.wrappingAdd(1, ordering: .relaxed) }
    var count: Int { number.load(ordering: .relaxed) }
}
