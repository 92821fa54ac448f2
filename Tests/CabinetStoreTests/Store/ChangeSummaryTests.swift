import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What watches objects hears which of them each commit has changed, how, and in which fields.
struct ChangeSummaryTests {
    final class Page: StoredObject {
        @Field var number = 0
        @Field var title = ""
        @Field var tags: Set<String> = []
        @One var next: Page?
        override class var storageName: String { "Page" }
    }
    final class Stone: StoredObject {
        @Field var number = 0
        override class var storageName: String { "Stone" }
    }

    /// Keeps what it is told.
    private final class Watcher: ChangeWatcher {
        let watched: StoredObject.Type
        var summaries: [ChangeSummary] = []
        init(_ watched: StoredObject.Type = Page.self) { self.watched = watched }
        func watches(_ storedClass: StoredClass) -> Bool { storedClass.type == watched }
        func note(_ summary: ChangeSummary) { summaries.append(summary) }

        func take() -> [ChangeSummary] {
            defer { summaries = [] }
            return summaries
        }
    }

    private func open(_ backend: any Backend) throws -> (Store, StoredClass, Watcher) {
        let store = try Store(backend: backend, classes: [Page.self, Stone.self])
        let watcher = Watcher()
        store.beginWatching(watcher)
        return (store, try store.registered(Page.self), watcher)
    }

    @Test func aSaveSaysWhatItHasChangedOfEachObject() throws {
        let (store, pages, watcher) = try open(MemoryBackend())
        let all = (0..<4).map { _ in Page() }
        all.forEach(store.insert)
        store.insert(Stone())
        try store.save()
        let inserted = try #require(watcher.take().first)
        #expect(inserted.commit == store.basis)
        #expect(inserted[pages]?.all.map(\.row) == all.map(\.rowID))
        #expect(inserted[pages]?.all.allSatisfy { $0.kind == .inserted } == true)
        all[0].title = "a"
        all[1].number = 5
        all[1].next = all[3]
        // What becomes what it was is no change.
        all[2].number = 1
        all[2].number = 0
        try store.delete(all[3])
        try store.save()
        let summary = try #require(watcher.take().first)
        let changes = try #require(summary[pages])
        #expect(Set(changes.all.map(\.row)) == Set([0, 1, 3].map { all[$0].rowID }))
        let fields = try [0, 1].map { index in
            let change = try #require(changes.all.first { $0.row == all[index].rowID })
            #expect(change.kind == .changed)
            return (0..<4).filter(change.fields.contains)
        }
        #expect(fields[0] == [1])
        #expect(fields[1].contains(0) && !fields[1].contains(1) && !fields[1].contains(2))
        #expect(changes.all.first { $0.row == all[3].rowID }?.kind == .deleted)
        #expect(changes.fields.isWhole)
    }

    @Test func aSetInAnotherOrderIsNoChange() throws {
        let (store, pages, watcher) = try open(MemoryBackend())
        let page = Page()
        store.insert(page)
        page.tags = Set((0..<40).map { "tag \($0)" })
        try store.save()
        _ = watcher.take()
        page.tags = []
        for number in (0..<40).reversed() { page.tags.insert("tag \(number)") }
        page.number = 1
        try store.save()
        let change = try #require(watcher.take().first?[pages]?.all.first)
        #expect((0..<4).filter(change.fields.contains) == [0])
    }

    @Test func whatNothingWatchesTakesTheShortWay() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let (store, pages, watcher) = try open(backend)
        let stones = try store.registered(Stone.self)
        #expect(pages.isWatched && pages.isCompared && !stones.isFollowed)
        let (page, stone) = (Page(), Stone())
        store.insert(page)
        store.insert(stone)
        try store.save()
        stone.number = 1
        backend.order { $0.lookUps = 0 }
        try store.save()
        #expect(backend.order { $0.lookUps } == 0)
        page.number = 1
        try store.save()
        #expect(backend.order { $0.lookUps } == 1)
        #expect(watcher.take().count == 2)
        store.endWatching(watcher)
        #expect(!pages.isWatched && !pages.isCompared)
        page.number = 2
        try store.save()
        #expect(watcher.take().isEmpty)
    }

    @Test func aSaveThatFailsIsNotTold() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let (store, pages, watcher) = try open(backend)
        let page = Page()
        store.insert(page)
        backend.order { $0.commitsLeft = 0 }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        #expect(watcher.take().isEmpty)
        backend.order { $0.commitsLeft = nil }
        try store.save()
        #expect(watcher.take().map { $0[pages]?.all.count } == [1])
    }

    /// The mirror is made of all records, decoded without their classes, before and after each commit.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func twoStoresHearOfEachOthersCommits(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let backend = MemoryBackend()
        let sides = [try open(backend), try open(backend)]
        var before: [RowID: [FieldValue]] = [:]
        for turn in 0..<40 {
            let (store, _, _) = sides[turn % 2]
            var pages = try store.objects(of: Page.self)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let page = pages.randomElement(using: &random)
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1:
                    pages.append(Page())
                    store.insert(pages[pages.count - 1])
                case 2:
                    guard let page else { continue }
                    try store.delete(page)
                    pages.removeAll { $0 === page }
                case 3: page?.next = pages.randomElement(using: &random)
                case 4: page?.tags = ["a", "b", "\(Int.random(in: 0..<9, using: &random))"]
                case 5: page?.title = "\(Int.random(in: 0..<3, using: &random))"
                default: page?.number = Int.random(in: 0..<3, using: &random)
                }
            }
            try store.save()
            let after = try records(backend)
            for (store, pages, watcher) in sides {
                try store.refresh()
                let summaries = watcher.take()
                #expect(summaries.count <= 1 && summaries.allSatisfy { !$0.isUnknown })
                try expect(summaries.first?[pages]?.all ?? [], before, after)
            }
            before = after
        }
    }

    private func expect(
        _ changes: [ChangeSummary.Change], _ before: [RowID: [FieldValue]],
        _ after: [RowID: [FieldValue]]
    ) throws {
        let rows = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        #expect(Set(changes.map(\.row)) == rows)
        #expect(changes.count == rows.count)
        for change in changes {
            guard let old = before[change.row], let new = after[change.row] else {
                let isNew = before[change.row] == nil
                #expect(change.kind == (isNew ? .inserted : .deleted))
                continue
            }
            #expect(change.kind == .changed)
            let fields = old.indices.filter { old[$0] != new[$0] }
            #expect(old.indices.filter(change.fields.contains) == fields)
        }
    }

    /// All pages, by row. Sets come in one order.
    private func records(_ backend: any Backend) throws -> [RowID: [FieldValue]] {
        let decoder = RecordDecoder(try StoreSchema(backend))
        guard let pages = decoder.schema["Page"] else { return [:] }
        var found: [RowID: [FieldValue]] = [:]
        let run = RecordRun()
        let cursor = try backend.records(in: pages.table)
        while try cursor.next(run) {
            while let (row, record) = run.next() {
                let fields = try #require(
                    try decoder.decode(record, row: row, of: pages).fields)
                found[row] = fields.map(\.value)
            }
        }
        return found
    }

    @Test func fieldsBeyondTheFirstWordAreKept() {
        var (one, other) = (FieldSet(), FieldSet())
        for field in [3, 64, 200] { one.insert(field) }
        other.insert(65)
        #expect(!one.intersects(other) && one.contains(200) && !one.contains(201))
        other.formUnion(one)
        #expect([3, 64, 65, 200].allSatisfy(other.contains) && one.intersects(other))
        #expect(FieldSet.whole.contains(7) && !FieldSet().intersects(.whole))
    }
}
