import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct HistoryTableTests {
    @Test func whatTheFeedHasLostComesFromTables() async throws {
        let backend = MemoryBackend(changesKept: 1 << 10)
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("rent", cents: 0)
        store.insert(entry)
        store.author = "maria"
        var commits: [CommitNumber] = []
        for cents in 1...6 {
            entry.cents = cents
            try store.note("to \(cents)")
            try store.save()
            commits.append(try backend.lastCommit())
            if cents == 4 { try HistoryMove(backend).moveAll() }
        }
        let events = try container.history(of: entry)
        #expect(events.map(\.commit) == commits)
        #expect(events.map(\.notes) == (1...6).map { ["to \($0)"] })
        #expect(events.allSatisfy { $0.author == "maria" })
        let changes = events.compactMap { event -> [FieldChange]? in
            if case .changed(let fields) = event.kind { fields } else { nil }
        }
        #expect(changes.map { $0.first?.new } == (2...6).map { .integer($0) })
        #expect(changes.map { $0.first?.old } == (1...5).map { .integer($0) })
        for (index, commit) in commits.enumerated() {
            let found = try await container.read(asOf: commit) { store in
                try store.objects(of: LedgerEntry.self).map(\.cents)
            }
            #expect(found == [index + 1])
        }
    }

    @Test func gapsAreMovedToo() async throws {
        let backend = MemoryBackend(changesKept: 1 << 10)
        let container = StoreContainer(backend: backend, classes: Books.withRemarks)
        let store = try container.makeStore()
        let remarks = (0..<100).map { LedgerRemark("\($0)") }
        for remark in remarks { store.insert(remark) }
        let entry = LedgerEntry("rent", cents: 1)
        store.insert(entry)
        try store.save()
        let then = try backend.lastCommit()
        for remark in remarks { remark.text += "!" }
        entry.cents = 2
        try store.save()
        let gap = try backend.lastCommit()
        try HistoryMove(backend).moveAll()
        await #expect(throws: BackendError.changesGone(oldest: gap)) {
            try await container.read(asOf: then) { try $0.count(of: LedgerRemark.self) }
        }
        #expect(
            try await container.read(asOf: then) { store in
                try store.objects(of: LedgerEntry.self).map(\.cents)
            } == [1])
    }

    @Test func limitsLetTheOldestTablesGo() throws {
        func table(_ number: UInt32, _ seconds: UInt64, _ size: UInt64) -> HistoryTable {
            var table = HistoryTable(number, after: CommitNumber(UInt64(number)))
            (table.time, table.size) = (seconds * 1_000_000, size)
            return table
        }
        let tables = [table(1, 100, 60), table(2, 200, 60), table(3, 300, 60), table(4, 400, 10)]
        func retired(_ limits: HistoryLimits) -> [UInt32] {
            limits.retired(of: tables, now: 500).map(\.number)
        }
        #expect(retired(HistoryLimits()) == [])
        #expect(retired(HistoryLimits(bytes: 190)) == [])
        #expect(retired(HistoryLimits(bytes: 130)) == [1])
        #expect(retired(HistoryLimits(bytes: 0)) == [1, 2, 3])
        #expect(retired(HistoryLimits(age: 250)) == [1, 2])
        #expect(retired(HistoryLimits(bytes: 70, age: 350)) == [1, 2])
        let container = StoreContainer(inMemory: Books.classes)
        #expect(try container.historyLimits() == HistoryLimits())
        let limits = HistoryLimits(bytes: 1 << 30, age: 86_400)
        try container.limitHistory(to: limits)
        #expect(try container.historyLimits() == limits)
    }

    @Test func whatIsBeyondTheLimitsIsGoneAndSaidToBe() async throws {
        let backend = MemoryBackend(changesKept: 1 << 10)
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        try store.save()
        let first = try backend.lastCommit()
        try container.limitHistory(to: HistoryLimits(bytes: 1 << 13))
        for round in 0..<40 {
            entry.text = String(repeating: "\(round % 10)", count: 1 << 10)
            try store.save()
        }
        try HistoryMove(backend, partSize: 1 << 10, tableSize: 1 << 12).moveAll()
        let known = try backend.historyTables()
        #expect(known.count == 2 && known[0].number > 1)
        let oldest = known[0].after
        await #expect(throws: BackendError.changesGone(oldest: oldest)) {
            try await container.read(asOf: first) { try $0.count(of: LedgerEntry.self) }
        }
        #expect(try await container.read(asOf: oldest) { try $0.count(of: LedgerEntry.self) } == 1)
    }

    /// The history of an object reads all that is not moved.
    @Test func littleIsLeftForTheHistoryOfAnObjectToRead() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let entries = (0..<100).map { LedgerEntry("\($0)", cents: $0) }
        for entry in entries { store.insert(entry) }
        try store.save()
        func left() throws -> UInt64 {
            let kept = try #require(try container.backend.keptChanges(for: HistoryPart.name))
            let cursor = try container.backend.changes(after: kept.position)
            var size: UInt64 = 0
            while let commit = try cursor.next() { size += UInt64(commit.size) }
            return size
        }
        for round in 0..<200 {
            for entry in entries { entry.cents += round }
            try store.save()
        }
        for _ in 0..<6000 {
            if try left() < 2 * HistoryRun.waitingLimit { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try left() < 2 * HistoryRun.waitingLimit && HistoryRun.waitingLimit < 1 << 20)
        #expect(try container.history(of: entries[7]).count == 200)
    }

    /// Commits that have moved others are long, and nothing in them is to be moved.
    @Test func whatHasMovedOthersIsPassedOverOnce() throws {
        let container = StoreContainer(inMemory: Books.classes)
        let backend = container.backend
        try HistoryPart.keepCommits(in: backend)
        let store = try Store(backend: backend, classes: Books.classes)
        let entry = LedgerEntry("rent", cents: 0)
        store.insert(entry)
        for round in 0..<40 {
            entry.text = String(repeating: "\(round % 10)", count: 1 << 10)
            try store.save()
        }
        let move = HistoryMove(backend, partSize: 4 << 10)
        try move.moveAll()
        let last = try backend.lastCommit()
        let kept = try #require(try backend.keptChanges(for: HistoryPart.name))
        #expect(kept.position.commit == last.previous)
        #expect(try !move.movePart() && backend.lastCommit() == last)
        try store.close()
        try container.close()
    }

    @Test func theWorkerMovesWhatWaits() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        try store.save()
        let first = try container.backend.lastCommit()
        for round in 0..<48 {
            entry.text = String(repeating: "\(round % 10)", count: 256 << 10)
            try store.save()
        }
        for _ in 0..<6000 {
            if try container.backend.historyTables().first?.size ?? 0 > 4 << 20 { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        let tables = try container.backend.historyTables()
        #expect(tables.count == 1 && tables[0].size > 4 << 20)
        #expect(
            try await container.read(asOf: first) { store in
                try store.objects(of: LedgerEntry.self).map(\.text)
            } == [""])
    }

    /// What moves the entries is a commit of some size, too.
    @Test func aRunEndsThoughItsOwnCommitsAreLarge() throws {
        let backend = MemoryBackend()
        let store = try Store.ofWorker(over: backend, Books.classes)
        try HistoryPart.keepCommits(in: backend)
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        for round in 0..<130 {
            entry.text = String(repeating: "\(round % 10)", count: 256 << 10)
            try store.save()
        }
        let run = HistoryRun(backend, .none, WaitingChanges())
        var looks = 0
        let pause = run.work(until: {
            looks += 1
            return looks > 10_000
        })
        #expect(pause == nil && looks < 1000)
        #expect(try !backend.historyTables().isEmpty)
        try store.close()
        try backend.close()
    }

    /// What was moved is held against the records, too, and against what is still in the log.
    @Test func aCheckFindsWrongHistoryOnceItWasMoved() async throws {
        let backend = MemoryBackend()
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let store = try container.makeStore()
        let entries = (0..<6).map { LedgerEntry("\($0)", cents: $0) }
        for entry in entries { store.insert(entry) }
        try store.save()
        for cents in 10..<13 {
            for entry in entries { entry.cents = cents }
            try store.save()
        }
        try HistoryMove(backend).moveAll()
        entries[0].cents = 20
        try store.save()
        #expect(try await store.check().findings.isEmpty)
        let tables = try #require(try HistoryTables(backend.snapshot(), backend.lines()))
        let table = try #require(entries[0].storedClass).table
        func spoil(_ row: RowID, _ index: Int) throws {
            let place = RowPlace(table: table, row: row)
            let commit = try tables.commits(of: place, after: .none)[index]
            let batch = backend.makeBatch()
            try batch.put(
                [1, 1, 2, 3],
                under: HistoryKey.commit(commit) + HistoryKey.place(table, row),
                in: tables.all[0].entries)
            try backend.commit(batch)
        }
        func expect(_ rows: [RowID]) async throws {
            let found = try await store.check().findings.filter { $0.kind == .wrongHistory }
            #expect(found.map(\.row) == rows)
        }
        try spoil(entries[1].rowID, 2)
        try await expect([entries[1].rowID])
        // The newest commit of a row in the tables has left another record than there is.
        let place = RowPlace(table: table, row: entries[2].rowID)
        let last = try #require(try tables.commits(of: place, after: .none).last)
        let batch = backend.makeBatch()
        try batch.put(
            LeftRecord.nothing.value,
            under: HistoryKey.place(table, place.row) + HistoryKey.commit(last),
            in: tables.all[0].rows)
        try backend.commit(batch)
        try await expect([entries[1].rowID, entries[2].rowID])
    }

    /// Of a class without history beside others no record goes into the tables.
    @Test func ofAClassWithoutHistoryNothingIsMoved() throws {
        let backend = MemoryBackend()
        let store = try StoreContainer(backend: backend, classes: Books.withRemarks).makeStore()
        let remark = LedgerRemark("remarkable")
        store.insert(remark)
        store.insert(LedgerEntry("entry", cents: 1))
        try store.save()
        remark.text = "most remarkable"
        try store.save()
        try HistoryMove(backend).moveAll()
        let tables = try #require(try HistoryTables(backend.snapshot(), backend.lines()))
        var values: [[UInt8]] = []
        try tables.forEachEntry(after: .none) { _, content, value in
            guard case .row(let table, _) = content, table == remark.storedClass?.table else {
                return
            }
            values.append([UInt8](value))
        }
        #expect(values == [HistoryValue.unknown, HistoryValue.unknown])
    }
}
