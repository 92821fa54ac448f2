import CLibrary
import CabinetBackend

/// Documents whose program is killed again and again: each file must be the former or the new one, and the
/// edits must be offered.
package struct DocumentKillRun {
    private let program: String
    private var worker: DocumentKillWorker
    private var random: SeededRandom
    /// What each file may have; `nil`: there may be none.
    private var files: [String: Set<Int?>] = ["A": [nil], "B": [nil]]
    /// Which file the document may be of.
    private var names: Set<String> = ["A"]
    /// The last edit that was acknowledged, and that was begun.
    private var edits = (done: 0, begun: 0)
    package private(set) var tally = KillTally()

    package init(program: String, directory: String, seed: UInt64) {
        self.program = program
        worker = DocumentKillWorker(directory: directory, seed: seed, killPoint: nil)
        random = SeededRandom(seed: seed, part: 1)
    }

    /// Kills a worker, and looks at what it has left. `false`: it is not right.
    package mutating func kill() throws -> Bool {
        worker.seed = random.next()
        worker.killPoint = nil
        var lines = Int.max
        if random.once(in: 3) {
            lines = random.below(30)
        } else {
            let step = random.below(random.once(in: 2) ? 40 : 300)
            worker.killPoint = [.before(step), .after(step), .within(step)][random.below(3)]
        }
        tally.kills += 1
        let child = try ChildProcess(program, worker.arguments)
        if lines == 0 { child.pauseThenKill(microseconds: random.below(20_000)) }
        var count = 0
        while let line = child.nextLine() {
            guard take(line) else { return fail("said '\(line)'") }
            count += 1
            if count == lines { child.pauseThenKill(microseconds: random.below(3_000)) }
        }
        let end = child.wait()
        guard end == .signal(9) else { return fail("ended with \(end)") }
        return try look()
    }

    /// What the worker says of itself.
    private mutating func take(_ line: String) -> Bool {
        let words = line.split(separator: " ").map(String.init)
        guard words.count > 1 else { return false }
        switch words[0] {
        case "O":
            guard words.count == 4, let number = Int(words[2]), names.contains(words[1]),
                (edits.done...edits.begun).contains(number)
            else { return false }
            tally.recoveries += 1
            edits = (number, number)
            names = [words[1]]
            // Without unsaved edits, the file has everything.
            let hasAll = files[words[1]]?.contains(number) == true || number == 0
            return words[3] == "1" || hasAll
        case "e": edits.begun = Int(words[1]) ?? 0
        case "E":
            edits.done = Int(words[1]) ?? 0
            tally.acknowledged += 1
        case "s", "m":
            if words[0] == "m" { names.insert(words[1]) }
            pending = (words[1], edits.done)
        case "S", "M":
            guard let begun = pending, begun.name == words[1] else { return false }
            // Edits that were made beside it may be in it.
            files[words[1]] = Set((begun.from...max(edits.begun, begun.from)).map { $0 })
            if words[0] == "M" { names = [words[1]] }
            pending = nil
        default: return false
        }
        return true
    }

    /// A save that was begun: to which file, after which edit.
    private var pending: (name: String, from: Int)?

    /// Reads both files.
    private mutating func look() throws -> Bool {
        if let pending {
            for number in pending.from...max(edits.begun, pending.from) {
                files[pending.name]?.insert(number)
            }
        }
        pending = nil
        for name in DocumentKillWorker.names {
            let found: Int?
            do { found = try worker.saved(name) } catch {
                return fail("\(name) cannot be read: \(error)")
            }
            guard files[name]?.contains(found) == true else {
                return fail("\(name) has \(found ?? -1), not one of \(files[name] ?? [])")
            }
            files[name] = [found]
        }
        let left = try asides()
        // One may be there until the document is opened.
        return left.count <= 1 || fail("left \(left)")
    }

    private func asides() throws -> [String] {
        asides(in: worker.directory)
            + DocumentKillWorker.names.flatMap { asides(in: worker.directory + "/\($0).cabinet") }
    }

    private func asides(in path: String) -> [String] {
        var names: [String] = []
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(".cabinet-") { names.append(name) }
        }
        return names
    }

    private mutating func fail(_ text: String) -> Bool {
        tally.losses.append("\(text) (\(worker.arguments.joined(separator: " ")))")
        return false
    }
}

extension DocumentKillRun {
    /// `count` kills, 50 of each document.
    package static func campaign(
        program: String, seed: UInt64, count: Int, progress: (KillTally) -> Void = { _ in }
    ) throws -> KillTally {
        var sum = KillTally()
        var store: UInt64 = 0
        while sum.kills < count {
            let directory = ScratchDirectory()
            let path = store.isMultiple(of: 2) ? directory.path : directory.file("Packages")
            _ = mkdir(path, 0o700)
            var run = DocumentKillRun(
                program: program, directory: path,
                seed: seed &* 1_000_003 &+ store)
            for _ in 0..<min(50, count - sum.kills) {
                guard try run.kill() else {
                    directory.isKept = true
                    break
                }
            }
            sum.add(run.tally)
            store += 1
            progress(sum)
            if sum.losses.count > 20 { break }
        }
        return sum
    }
}
