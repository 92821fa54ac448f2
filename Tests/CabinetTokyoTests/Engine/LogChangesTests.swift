import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Walks over the commits behind one.
struct LogChangesTests: ChangesScene {
    let directory = ScratchDirectory(inMemory: true)

    @Test func tellEachCommitOnceInItsOrder() throws {
        let backend = try start()
        try save(2...9, backend)
        #expect(try tellAll(backend.logChanges(after: 1)) == told(2...9))
        #expect(try tellAll(backend.logChanges(after: 6)) == told(7...9))
        #expect(try tellAll(backend.logChanges(after: 9)) == [])
        let walk = try backend.logChanges(after: 0)
        let first = try #require(try walk.next())
        #expect(first.number == 1 && first.author == 0 && first.notes == [])
        #expect(first.time > 1_600_000_000_000_000)
        var definitions: [String] = []
        try first.forEachOperation { operation in
            if case .define(let table) = operation { definitions.append(table.name) }
        }
        #expect(definitions == ["Song"])
        // A walk ends where the store was when it began, and stays ended.
        try save(10...10, backend)
        #expect(try tellAll(walk) == told(2...9))
        #expect(try walk.next() == nil)
        #expect(try tellAll(backend.logChanges(after: 9)) == told(10...10))
        try backend.close()
    }

    @Test func tellNothingOfAStoreWithoutSaves() throws {
        let backend = try TokyoBackend(path: path)
        #expect(try backend.logChanges(after: 0).next() == nil)
        #expect(throws: BackendError.changesGone(oldest: 0)) { try backend.logChanges(after: 1) }
        try backend.close()
    }

    /// A commit that the store does not have may be another store's, or an older copy of it.
    @Test func areRefusedBehindTheLastCommit() throws {
        let backend = try start()
        try save(2...3, backend)
        #expect(throws: BackendError.changesGone(oldest: 0)) { try backend.logChanges(after: 4) }
        try backend.close()
    }

    @Test func tellASaveOfSeveralChunksWhole() throws {
        let backend = try start()
        let batch = backend.makeBatch()
        for row in 2..<42 as Range<RowID> {
            try batch.put(String(repeating: "x", count: 100_000), at: row, in: 2)
            try batch.note(1, "\(row)")
        }
        try backend.commit(batch)
        try save(43...43, backend)
        let all = try tellAll(backend.logChanges(after: 1))
        #expect(all.map(\.number) == [2, 3])
        #expect(all[0].rows == Array(2..<42) && all[0].notes == (2..<42).map { "\($0)" })
        #expect(try tellAll(backend.logChanges(after: 2)).map(\.rows) == [[43]])
        let large = try #require(try backend.logChanges(after: 1).next())
        try large.operations().withUnsafeBytes { bytes in
            var reader = OperationReader(bytes)
            var kinds: [Bool] = []
            while let operation = reader.next() {
                if case .note = operation { kinds.append(true) } else { kinds.append(false) }
            }
            #expect(!reader.isDamaged && bytes.count > 4_000_000)
            // The engine adds the highest row to the catalog.
            #expect(kinds == Array(repeating: [false, true], count: 40).flatMap { $0 } + [false])
        }
        try backend.close()
    }

    @Test func findTheirPlaceWhereverOthersHaveEnded() throws {
        let backend = try start()
        var random = SeededRandom(seed: RunSetting.seed)
        var last = 2
        try save(2...2, backend)
        for _ in 0..<300 {
            if random.once(in: 3) {
                last += 1
                try save(RowID(UInt32(last)), backend)
            }
            let (start, count) = (1 + random.below(last), random.below(6))
            let walk = try backend.logChanges(after: CommitNumber(UInt64(start)))
            for number in start + 1..<min(start + 1 + count, last + 1) {
                let row = RowID(UInt32(number))
                let found = try walk.next().map(tell)
                #expect(found == told(row...row).first)
            }
        }
        try backend.close()
    }

    @Test func goOnFromSegmentToSegment() throws {
        let backend = try start()
        for row in 2...9 as ClosedRange<RowID> {
            try save(row, backend)
            if row.rawValue % 3 == 0 { try backend.commitLog.roll(tables: backend.tableStates) }
        }
        for number in 1...9 as ClosedRange<RowID> {
            let rest = number < 9 ? told(number.next...9) : []
            #expect(try tellAll(backend.logChanges(after: Self.commit(of: number))) == rest)
        }
        try backend.close()
        for access in [Access.readOnly, .readWrite] {
            let again = try TokyoBackend(path: path, access: access)
            #expect(try tellAll(again.logChanges(after: 1)) == told(2...9))
            try again.close()
        }
    }

    /// A reader that follows the log does not read it from the front each time.
    @Test func readOnlyWhatIsNewWhereTheLastOneEnded() throws {
        let read = Guarded<UInt64>(0)
        let files = FaultyFiles()
        let backend = try start(files)
        let filler = backend.makeBatch()
        for row in 100..<200 as Range<RowID> {
            try filler.put(String(repeating: "x", count: 100_000), at: row, in: 2)
        }
        try backend.commit(filler)
        try save(3...3, backend)
        files.replacePlan { _, operation, path in
            if operation == .read, path.contains("/log-") { read.withLock { $0 += 1 } }
            return nil
        }
        #expect(try tellAll(backend.logChanges(after: 2)) == told(3...3))
        #expect(read.withLock { $0 } > 10)
        for row in 4...9 as ClosedRange<RowID> {
            try save(row, backend)
            read.withLock { $0 = 0 }
            let walk = try backend.logChanges(after: Self.commit(of: row.previous))
            #expect(try tellAll(walk) == told(row...row))
            #expect(read.withLock { $0 } < 6)
        }
        try backend.close()
    }

    @Test func areGoneWithTheLogThatASnapshotReplaces() throws {
        let backend = try start()
        try save(2...5, backend)
        try backend.compact()
        try save(6...7, backend)
        for number in 0...4 as ClosedRange<CommitNumber> {
            #expect(throws: BackendError.changesGone(oldest: 5)) {
                try backend.logChanges(after: number)
            }
        }
        #expect(try tellAll(backend.logChanges(after: 5)) == told(6...7))
        try backend.close()
    }

    @Test func goOnBesideCompactions() throws {
        let backend = try start()
        for row in 2...9 as ClosedRange<RowID> {
            try save(row, backend)
            if row.rawValue % 3 == 0 { try backend.commitLog.roll(tables: backend.tableStates) }
        }
        var walk: LogChanges? = try backend.logChanges(after: 1)
        var late: LogChanges? = try backend.logChanges(after: 7)
        #expect(try walk?.next()?.number == 2)
        try backend.compact()
        try save(10...10, backend)
        try backend.compact()
        // The last of them was opened by no walk.
        #expect(try segments() == [1, 2, 3, 4, 6])
        var numbers: [CommitNumber] = []
        while let commit = try walk?.next() {
            numbers.append(commit.number)
            if commit.number == 7 { #expect(try segments() == [3, 4, 6]) }
        }
        #expect(numbers == Array(3...9))
        walk = nil
        #expect(try segments() == [3, 4, 6])
        #expect(try tellAll(try #require(late)) == told(8...9))
        late = nil
        #expect(try segments() == [6])
        #expect(throws: BackendError.changesGone(oldest: 10)) { try backend.logChanges(after: 9) }
        #expect(try backend.rows(in: 2).count == 9)
        try backend.close()
    }

    @Test func endWhenTheStoreIsClosedAndLeaveNothingBehind() throws {
        var backend: TokyoBackend? = try start()
        try save(2...5, try #require(backend))
        try #require(backend).commitLog.roll(tables: try #require(backend).tableStates)
        var walk: LogChanges? = try backend?.logChanges(after: 1)
        #expect(try walk?.next()?.number == 2)
        try backend?.compact()
        try backend?.close()
        #expect(throws: BackendError.closed) { try walk?.next() }
        walk = nil
        backend = nil
        let again = try TokyoBackend(path: path)
        #expect(try segments().count == 1)
        #expect(try again.rows(in: 2).count == 4)
        try again.close()
    }
}
