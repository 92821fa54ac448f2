import Testing

@testable import CabinetBackend

struct VersionWindowTests {
    @Test func eachReaderSeesItsOwnCommit() throws {
        let rows = WindowRows()
        rows.put([1], at: 5, 1)
        _ = rows.hold(1)
        rows.put([2, 2], at: 5, 2)
        _ = rows.hold(2)
        rows.put(nil, at: 5, 3)
        _ = rows.hold(3)
        rows.put([4], at: 5, 4)
        rows.put([5], at: 5, 5)
        _ = rows.hold(5)
        #expect(try (1...5).map { try rows.value(of: 5, at: $0) } == [[1], [2, 2], nil, [5], [5]])
        #expect(try rows.value(of: 6, at: 1) == nil)
    }

    @Test func aRowThatChangesOftenIsKeptOnceForEachReader() throws {
        let rows = WindowRows()
        rows.put([0], at: 5, 1)
        _ = rows.hold(1)
        for commit in 2...1000 as ClosedRange<CommitNumber> { rows.put([1], at: 5, commit) }
        #expect(rows.bytesKept(of: 5) == 8 + 12 + 1)
        #expect(try rows.value(of: 5, at: 1) == [0])
        #expect(rows.window.hasChanged(row: 5, in: 2, since: 999))
        #expect(!rows.window.hasChanged(row: 5, in: 2, since: 1000))
    }

    @Test func oneCommitThatChangesARowTwiceKeepsWhatWasBeforeIt() throws {
        let rows = WindowRows()
        rows.put([0], at: 5, 1)
        _ = rows.hold(1)
        rows.put([1], at: 5, 2)
        rows.put(nil, at: 5, 2)
        rows.put([3], at: 5, 2)
        #expect(try rows.value(of: 5, at: 1) == [0])
    }

    @Test func nothingIsKeptWithoutAReader() throws {
        let rows = WindowRows()
        let one = rows.hold(1)
        rows.put([1], at: 5, 2)
        let two = rows.hold(2)
        rows.window.release(one)
        #expect(rows.window.isKeeping && rows.window.oldest == 2)
        rows.window.release(two)
        #expect(!rows.window.isKeeping && rows.bytesKept(of: 5) == 0)
        rows.window.release(two)
    }

    @Test func whatNoReaderNeedsGoesWhileOthersRead() throws {
        let rows = WindowRows()
        var last: Hold?
        for commit in 1...1000 as ClosedRange<CommitNumber> {
            let hold = rows.hold(commit)
            rows.put(
                [UInt8(commit.rawValue % 200)], at: RowID(UInt32(commit.rawValue)), commit.next)
            if let last { rows.window.release(last) }
            last = hold
        }
        #expect(rows.window.rows(of: 2)?.count ?? 0 < 10)
        #expect(try rows.value(of: 1000, at: 1000) == nil)
        #expect(try rows.value(of: 999, at: 1000) == [199])
    }

    @Test func valuesOfShortReadersGoBesideALongOne() throws {
        let rows = WindowRows()
        rows.put([0], at: 5, 1)
        let long = rows.hold(1)
        for commit in 2...1000 as ClosedRange<CommitNumber> {
            rows.put([UInt8(commit.rawValue % 200)], at: 5, commit)
            rows.window.release(rows.hold(commit))
        }
        #expect(rows.bytesKept(of: 5) < 8 + 5 * 13)
        #expect(try rows.value(of: 5, at: 1) == [0])
        #expect(rows.window.hasChanged(row: 5, in: 2, since: 999))
        rows.window.release(long)
    }

    @Test func countsAndDefinitionsAreThoseOfTheCommit() {
        let window = VersionWindow(limits: SnapshotLimits()) { () throws(BackendError) in
            throw .closed
        }
        let song = TableDefinition(number: 2, kind: .record, name: "Song")
        _ = window.hold(1, label: "")
        window.note(definition: nil, of: 2, commit: 2)
        window.note(count: 0, of: 2, commit: 2)
        _ = window.hold(2, label: "")
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
