import Testing

@testable import CabinetBackend

struct SpillTests {
    private static func value(_ row: Int, _ commit: CommitNumber) -> [UInt8] {
        let size = [3, 40, 700, 300_000][row % 4]
        return [UInt8](
            repeating: UInt8(truncatingIfNeeded: row + 50 * Int(commit.rawValue)), count: size)
    }

    /// Puts rows 1 to 40 by commit 1, then all of them again by each commit.
    private static func put(_ commits: ClosedRange<CommitNumber>, to rows: WindowRows) {
        for commit in commits {
            for row in 1...40 { rows.put(value(row, commit), at: RowID(UInt32(row)), commit) }
        }
    }

    private static func isRight(_ rows: WindowRows, at commit: CommitNumber) throws -> Bool {
        try (1...40).allSatisfy {
            try rows.value(of: RowID(UInt32($0)), at: commit) == value($0, commit)
        }
    }

    @Test func valuesBeyondTheLimitOfMemoryGoToAFile() throws {
        let file = MemoryFile()
        let rows = WindowRows(SnapshotLimits(memory: 1000), file)
        Self.put(1...1, to: rows)
        let first = rows.hold(1)
        Self.put(2...2, to: rows)
        let second = rows.hold(2)
        Self.put(3...4, to: rows)
        #expect(file.bytes.count > 3_000_000 && rows.window.memory < 20_000)
        #expect(try Self.isRight(rows, at: 1) && Self.isRight(rows, at: 2))
        #expect(rows.window.openSnapshots.map(\.commit) == [1, 2])
        rows.window.release(first)
        #expect(try Self.isRight(rows, at: 2))
        rows.window.release(second)
        #expect(rows.window.memory == 0 && rows.window.spill == nil)
    }

    @Test func aFileOfMuchThatIsNotNeededIsWrittenAgain() throws {
        let files = Guarded<[MemoryFile]>([])
        let window = VersionWindow(limits: SnapshotLimits(memory: 0)) { () throws(BackendError) in
            let file = MemoryFile()
            files.withLock { $0.append(file) }
            return file
        }
        let rows = WindowRows(window)
        Self.put(1...1, to: rows)
        let long = rows.hold(1)
        for commit in 2...30 as ClosedRange<CommitNumber> {
            let short = rows.hold(commit.previous)
            Self.put(commit...commit, to: rows)
            rows.window.release(short)
        }
        #expect(files.withLock { $0.count } > 1)
        #expect(rows.window.spill?.size ?? 0 < 40_000_000)
        #expect(try Self.isRight(rows, at: 1))
        rows.window.release(long)
    }

    @Test func withoutAFileValuesStayInMemory() throws {
        let rows = WindowRows(SnapshotLimits(memory: 1000))
        Self.put(1...1, to: rows)
        let hold = rows.hold(1)
        Self.put(2...3, to: rows)
        #expect(try Self.isRight(rows, at: 1) && rows.window.memory > 3_000_000)
        let file = MemoryFile()
        file.failure = .diskFull(path: "file", needed: 1)
        let others = WindowRows(SnapshotLimits(memory: 1000), file)
        Self.put(1...1, to: others)
        let other = others.hold(1)
        Self.put(2...3, to: others)
        #expect(try Self.isRight(others, at: 1))
        withExtendedLifetime((hold, other)) {}
    }

    @Test func aFileThatCannotBeReadIsAnError() throws {
        let file = MemoryFile()
        let rows = WindowRows(SnapshotLimits(memory: 0), file)
        Self.put(1...1, to: rows)
        let hold = rows.hold(1)
        Self.put(2...2, to: rows)
        file.bytes[700] ^= 1
        #expect(throws: BackendError.self) { try Self.isRight(rows, at: 1) }
        let failure = BackendError.system(operation: "pread", path: "file", code: 5)
        file.failure = failure
        #expect(throws: failure) { try Self.isRight(rows, at: 1) }
        withExtendedLifetime(hold) {}
    }

    @Test(arguments: [0, 1 << 30]) func theOldestCommitIsGivenUpForWantOfRoom(
        _ memory: Int
    ) throws {
        let file = MemoryFile()
        let rows = WindowRows(SnapshotLimits(memory: memory, total: 8 << 20), file)
        Self.put(1...1, to: rows)
        var holds: [Hold] = []
        for commit in 2...9 as ClosedRange<CommitNumber> {
            holds.append(rows.hold(commit.previous))
            Self.put(commit...commit, to: rows)
        }
        let left = holds.filter { !$0.isGivenUp }
        #expect((1...2).contains(left.count) && left.last === holds.last)
        for hold in left { #expect(try Self.isRight(rows, at: hold.commit)) }
        #expect(throws: BackendError.snapshotTooOld(1)) { try holds[0].check() }
        #expect(rows.window.oldest == left[0].commit)
        for hold in holds { rows.window.release(hold) }
        #expect(!rows.window.isKeeping && rows.window.memory == 0)
    }

    @Test func openSnapshotsSayWhatIsKeptSinceTheyWereTaken() {
        let rows = WindowRows()
        rows.put([UInt8](repeating: 1, count: 1000), at: 2, 1)
        let first = rows.hold(1, label: "one")
        rows.put([2], at: 2, 2)
        let second = rows.hold(2, label: "two")
        let open = rows.window.openSnapshots
        #expect(open.map(\.label) == ["one", "two"] && open.map(\.commit) == [1, 2])
        #expect((1000...1100).contains(open[0].bytes) && open[1].bytes == 0)
        #expect(open[0].opened > 1_500_000_000_000_000 && open[0].opened <= open[1].opened)
        rows.window.release(first)
        #expect(rows.window.openSnapshots.map(\.label) == ["two"])
        withExtendedLifetime(second) {}
    }
}
