import CabinetBackend
import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTokyo

/// Commits that do not say what they have replaced.
struct GapTests {
    /// Rows that programs change one after the other which do not keep history: what the log says of each, tables
    /// say, too, but for what the change before a gap has left. Of two gaps in a row the first one was once shown
    /// without what it had written.
    @Test(arguments: RunSetting.seeds(8))
    func largeGapsAreTheSameOnceTheyWereMoved(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let backend = MemoryBackend(changesKept: 1 << 20)
        try HistoryPart.keepCommits(in: backend)
        let start = try backend.lastCommit()
        var store = try Store.ofWorker(over: backend, Books.classes)
        for cents in 0..<80 { store.insert(LedgerEntry("", cents: cents)) }
        try store.save()
        let ids = try store.objects(of: LedgerEntry.self).map { try #require($0.objectID) }
        try store.close()
        for step in 0..<8 {
            if random.once(in: 2) {
                store = try Store.ofWorker(over: backend, Books.forgetful)
                for entry in try store.objects(of: ForgetfulLedgerEntry.self) {
                    if random.once(in: 30) {
                        try store.delete(entry)
                    } else {
                        entry.cents += 1 + step
                    }
                }
            } else {
                store = try Store.ofWorker(over: backend, Books.classes)
                let entries = try store.objects(of: LedgerEntry.self)
                entries[random.below(entries.count)].cents = 1000 + step
                try store.delete(entries[random.below(entries.count)])
            }
            try store.save()
            try store.close()
        }
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let end = try backend.lastCommit()
        func isGap(_ event: ObjectEvent<LedgerEntry>) -> Bool {
            switch event.kind {
            case .written, .deleted([]): true
            default: false
            }
        }
        func all(isMoved: Bool) async throws -> [String] {
            var found: [String] = []
            var told: Set<ObjectEvent<LedgerEntry>> = []
            for id in ids {
                let events = try container.history(of: id)
                told.formUnion(events)
                for (event, next) in zip(events, events.dropFirst().map { Optional($0) } + [nil]) {
                    // What a change has left, the next one says, which does not say it here.
                    let isLost = next.map(isGap) ?? false && !isGap(event)
                    found.append(
                        "\(id.rowID) \(event.commit) "
                            + (isLost && !isMoved ? "written([])" : "\(event.kind)"))
                }
            }
            var walked: Set<ObjectEvent<LedgerEntry>> = []
            for try await event in container.history(of: LedgerEntry.self) { walked.insert(event) }
            // Of two gaps in a row the walk once said of the second one what it had replaced.
            #expect(walked == told, "\(walked.symmetricDifference(told))")
            for number in start.rawValue...end.rawValue {
                do {
                    found += try await container.read(asOf: CommitNumber(number)) { store in
                        try ids.map { "\(number): \(try store.object($0)?.cents as Any)" }
                    }
                } catch { found.append("\(number): \(error)") }
            }
            return found
        }
        let logged = try await all(isMoved: false)
        #expect(logged.contains { $0.contains("written") })
        try HistoryMove(backend).moveAll()
        #expect(try PastLook(over: backend, label: "test").tables?.last ?? 0 >= end)
        let moved = try await all(isMoved: true)
        #expect(moved == logged, "\(moved.difference(from: logged))")
        try container.close()
    }

    @Test func aGapBehindTheLaterCommitDoesNotCount() throws {
        let backend = MemoryBackend()
        let container = StoreContainer(backend: backend, classes: Books.withRemarks)
        let store = try container.makeStore()
        let (entry, remark) = (LedgerEntry("", cents: 0), LedgerRemark(""))
        store.insert(entry)
        store.insert(remark)
        try store.save()
        let first = store.basis
        entry.cents = 1
        try store.save()
        let second = store.basis
        remark.text = "changed"
        try store.save()
        #expect(try container.changes(from: first, to: second).map(\.className) == ["LedgerEntry"])
        #expect(try container.changes(from: second, to: first).map(\.className) == ["LedgerEntry"])
        #expect(throws: BackendError.changesGone(oldest: store.basis)) {
            try container.changes(from: first, to: store.basis)
        }
    }

    @Test func aMigrationThatDropsAClassLeavesNoGap() async throws {
        let backend = MemoryBackend()
        let container = StoreContainer(backend: backend, classes: Books.classes)
        var store = try container.makeStore()
        let entry = LedgerEntry("rent", cents: 7)
        store.insert(entry)
        store.insert(LedgerAccount("first"))
        try store.save()
        let (id, then) = (try #require(entry.objectID), store.basis)
        try store.close()
        let later = StoreContainer(
            backend: backend, classes: [ForgottenAccount.self],
            migrations: [Migration("entries go", dropping: ["LedgerEntry"]) { _, _ in }])
        store = try later.makeStore()
        try await store.migrate()
        guard case .deleted(let fields)? = try container.history(of: id).last?.kind else {
            Issue.record("\(try container.history(of: id))")
            return
        }
        #expect(fields.first { $0.name == "cents" }?.value == .integer(7))
        let found = try await container.read(asOf: then) { try $0.object(id)?.cents }
        #expect(found == 7)
        #expect(try later.changes(from: then, to: store.basis).count == 1)
        try store.close()
    }

    /// What was to be read from the feed is read from tables if it was moved there meanwhile.
    @Test func aLookThatIsOvertakenBeginsAnew() throws {
        let backend = MemoryBackend(changesKept: 1 << 10)
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        var commits: [CommitNumber] = []
        for cents in 1...5 {
            entry.cents = cents
            try store.save()
            commits.append(store.basis)
        }
        var looks = 0
        let place = RowPlace(
            table: try #require(entry.storedClass).table, row: entry.rowID)
        let events = try PastLook.with(backend, label: "test") { look in
            looks += 1
            if looks == 1 {
                try HistoryMove(backend).moveAll()
                entry.text = String(repeating: "x", count: 1 << 12)
                try store.save()
                try HistoryMove(backend).moveAll()
            }
            return try look.events(of: place)
        }
        #expect(looks == 2)
        #expect(events.map(\.commit).prefix(5) == commits[...] && events.count == 6)
    }

    /// Likewise of a walk over a class, which goes on where it was.
    @Test func aWalkThatIsOvertakenGoesOn() async throws {
        let backend = MemoryBackend(changesKept: 1 << 10)
        try HistoryPart.keepCommits(in: backend)
        let store = try Store.ofWorker(over: backend, Books.classes)
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        var commits: [CommitNumber] = []
        for cents in 1...5 {
            entry.cents = cents
            try store.save()
            commits.append(store.basis)
        }
        let container = StoreContainer(backend: backend, classes: Books.classes)
        var events = container.history(of: LedgerEntry.self).makeAsyncIterator()
        var found = [try await events.next()?.commit]
        try HistoryMove(backend).moveAll()
        entry.text = String(repeating: "x", count: 1 << 12)
        try store.save()
        try HistoryMove(backend).moveAll()
        while let event = try await events.next() { found.append(event.commit) }
        #expect(found == commits)
        try store.close()
        try container.close()
    }

    /// A date is the last commit, by number, that was made at or before it, also where the clock was set back before
    /// or after commits were moved: what moves them commits, too.
    @Test(arguments: RunSetting.seeds(16))
    func aDateIsTheLastCommitAtOrBeforeItWhateverTheClock(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let directory = ScratchDirectory()
        let backend = try TokyoBackend(
            path: directory.file("Store"), durability: .process, log: .none)
        backend.commitLog.givenTime = 0
        try HistoryPart.keepCommits(in: backend)
        let store = try Store.ofWorker(over: backend, Books.classes)
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        try store.save()
        var commits: [(time: Int, cents: Int)] = []
        func note(_ time: Int) throws {
            let last = Int(try backend.lastCommit().rawValue)
            while commits.count < last { commits.append((time, entry.cents)) }
        }
        try note(0)
        for step in 1...25 {
            let time = random.below(30)
            backend.commitLog.givenTime = UInt64(time) * 1_000_000
            if random.once(in: 4) {
                _ = try HistoryMove(backend, partSize: random.once(in: 2) ? 1 : 1000).movePart()
            } else {
                entry.cents = step
                try store.save()
            }
            try note(time)
        }
        let container = StoreContainer(backend: backend, classes: Books.classes)
        for time in 0...30 {
            let date = Date(timeIntervalSince1970: Double(time))
            let found = try await container.read(asOf: date) {
                try $0.objects(of: LedgerEntry.self).first?.cents
            }
            #expect(found ?? 0 == commits.last { $0.time <= time }?.cents, "at \(time)")
        }
        try store.close()
        try container.close()
    }
}

/// ``LedgerAccount`` once there are no entries any more.
private final class ForgottenAccount: StoredObject {
    @Field var name = ""

    override class var storageName: String { "LedgerAccount" }
    override class var keepsHistory: Bool { true }
}
