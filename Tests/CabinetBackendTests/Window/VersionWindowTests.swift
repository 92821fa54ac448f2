import Testing

@testable import CabinetBackend

struct VersionWindowTests {
    /// One table of rows, with a window that gets its changes.
    private final class Rows {
        let window = VersionWindow()
        let now = RecordTable()

        func put(_ value: [UInt8]?, at row: RowID, _ commit: CommitNumber) {
            if window.isKeeping {
                window.note(row: row, in: 2, before: now.value(of: row), commit: commit)
            }
            if let value {
                value.withUnsafeBytes { now.put($0, at: row) }
            } else {
                now.delete(row)
            }
        }

        func value(of row: RowID, at commit: CommitNumber) -> [UInt8]? {
            switch window.version(of: row, in: 2, at: commit) {
            case .current: now.value(of: row).map { Array($0) }
            case .absent: nil
            case .value(let value): Array(value)
            }
        }

        /// The bytes that the window keeps of a row.
        func bytesKept(of row: RowID) -> Int { window.rows(of: 2)?.value(of: row)?.count ?? 0 }
    }

    @Test func eachReaderSeesItsOwnCommit() {
        let rows = Rows()
        rows.put([1], at: 5, 1)
        _ = rows.window.hold(1)
        rows.put([2, 2], at: 5, 2)
        _ = rows.window.hold(2)
        rows.put(nil, at: 5, 3)
        _ = rows.window.hold(3)
        rows.put([4], at: 5, 4)
        rows.put([5], at: 5, 5)
        _ = rows.window.hold(5)
        #expect((1...5).map { rows.value(of: 5, at: $0) } == [[1], [2, 2], nil, [5], [5]])
        #expect(rows.value(of: 6, at: 1) == nil)
    }

    @Test func aRowThatChangesOftenIsKeptOnceForEachReader() {
        let rows = Rows()
        rows.put([0], at: 5, 1)
        _ = rows.window.hold(1)
        for commit in 2...1000 as ClosedRange<CommitNumber> { rows.put([1], at: 5, commit) }
        #expect(rows.bytesKept(of: 5) == 8 + 12 + 1)
        #expect(rows.value(of: 5, at: 1) == [0])
        #expect(rows.window.hasChanged(row: 5, in: 2, since: 999))
        #expect(!rows.window.hasChanged(row: 5, in: 2, since: 1000))
    }

    @Test func oneCommitThatChangesARowTwiceKeepsWhatWasBeforeIt() {
        let rows = Rows()
        rows.put([0], at: 5, 1)
        _ = rows.window.hold(1)
        rows.put([1], at: 5, 2)
        rows.put(nil, at: 5, 2)
        rows.put([3], at: 5, 2)
        #expect(rows.value(of: 5, at: 1) == [0])
    }

    @Test func nothingIsKeptWithoutAReader() {
        let rows = Rows()
        let one = rows.window.hold(1)
        rows.put([1], at: 5, 2)
        let two = rows.window.hold(2)
        rows.window.release(one)
        #expect(rows.window.isKeeping && rows.window.oldest == 2)
        rows.window.release(two)
        #expect(!rows.window.isKeeping && rows.bytesKept(of: 5) == 0)
        rows.window.release(two)
    }

    @Test func whatNoReaderNeedsGoesWhileOthersRead() {
        let rows = Rows()
        var last: Hold?
        for commit in 1...1000 as ClosedRange<CommitNumber> {
            let hold = rows.window.hold(commit)
            rows.put(
                [UInt8(commit.rawValue % 200)], at: RowID(UInt32(commit.rawValue)), commit.next)
            if let last { rows.window.release(last) }
            last = hold
        }
        #expect(rows.window.rows(of: 2)?.count ?? 0 < 10)
        #expect(rows.value(of: 1000, at: 1000) == nil)
        #expect(rows.value(of: 999, at: 1000) == [199])
    }

    @Test func valuesOfShortReadersGoBesideALongOne() {
        let rows = Rows()
        rows.put([0], at: 5, 1)
        let long = rows.window.hold(1)
        for commit in 2...1000 as ClosedRange<CommitNumber> {
            rows.put([UInt8(commit.rawValue % 200)], at: 5, commit)
            rows.window.release(rows.window.hold(commit))
        }
        #expect(rows.bytesKept(of: 5) < 8 + 5 * 13)
        #expect(rows.value(of: 5, at: 1) == [0])
        #expect(rows.window.hasChanged(row: 5, in: 2, since: 999))
        rows.window.release(long)
    }

    @Test func countsAndDefinitionsAreThoseOfTheCommit() {
        let window = VersionWindow()
        let song = TableDefinition(number: 2, kind: .record, name: "Song")
        _ = window.hold(1)
        window.note(definition: nil, of: 2, commit: 2)
        window.note(count: 0, of: 2, commit: 2)
        _ = window.hold(2)
        window.note(count: 7, of: 2, commit: 3)
        window.note(definition: song, of: 2, commit: 4)
        window.note(count: 8, of: 2, commit: 4)
        #expect(window.count(of: 2, at: 1, now: 0) == 0)
        #expect(window.count(of: 2, at: 2, now: 0) == 7)
        #expect(window.definition(of: 2, at: 1, now: nil) == nil)
        #expect(window.definition(of: 2, at: 2, now: nil) == song)
        #expect(window.count(of: 3, at: 1, now: 9) == 9)
    }
}
