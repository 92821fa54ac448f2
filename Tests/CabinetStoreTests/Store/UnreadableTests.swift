import Cabinet
import Testing

@testable import CabinetTestModel

struct UnreadableTests {
    let bench = SchemaBench()

    /// Ten songs, two of them with records that no class can read, a pending edit and an insert.
    func open() throws -> (store: Store, pending: [Tune]) {
        let first = try bench.open(tunes)
        for number in 0..<10 { first.insert(Tune("\(number)")) }
        try first.save()
        try bench.setRecord("Tune", 4, [1, 9, 0])
        try bench.setRecord("Tune", 9, [])
        let store = try bench.open(tunes)
        let edited = try #require(try store.object(Tune.self, rowID: 5))
        edited.title = "edited"
        let new = Tune("new")
        store.insert(new)
        return (store, [edited, new])
    }

    let titles = ["0", "1", "edited", "4", "5", "6", "8", "9", "new"]

    @Test func aFetchGivesTheOthersAndSaysWhichAreLeftOut() throws {
        let (store, pending) = try open()
        #expect(throws: StoreError.self) { _ = try store.objects(of: Tune.self) }
        var left: [RowID] = []
        let found = try store.objects(of: Tune.self) { row, error in
            left.append(row)
            #expect("\(error)".contains("Tune \(row)"))
            // Nothing is being enumerated any more.
            try store.save()
        }
        #expect(found.map(\.title) == titles)
        #expect(left.sorted() == [4, 9])
        #expect(pending.allSatisfy { !$0.isChanged })
        // What was left out keeps its record.
        #expect(try bench.record("Tune", 4) == [1, 9, 0])
    }

    @Test func aWalkGivesTheOthersAndSaysWhichAreLeftOut() throws {
        let (store, pending) = try open()
        var met: [String] = []
        #expect(throws: StoreError.self) { try store.forEach(Tune.self) { met.append($0.title) } }
        met = []
        var left: [RowID] = []
        try store.forEach(
            Tune.self, unreadable: { row, _ in left.append(row) }, { met.append($0.title) })
        #expect(met.sorted() == titles.sorted())
        #expect(left.sorted() == [4, 9])
        #expect(pending.count == 2)
    }

    @Test func whatTheClosuresThrowEndsTheCall() throws {
        struct Enough: Error {}
        let (store, _) = try open()
        #expect(throws: Enough.self) {
            _ = try store.objects(of: Tune.self) { _, _ in throw Enough() }
        }
        #expect(throws: Enough.self) {
            try store.forEach(Tune.self, unreadable: { _, _ in throw Enough() }, { _ in })
        }
        var calls = 0
        #expect(throws: Enough.self) {
            try store.forEach(
                Tune.self, unreadable: { _, _ in calls += 100 },
                { _ in
                    calls += 1
                    throw Enough()
                })
        }
        #expect(calls % 100 == 1)
    }

    @Test func aRecordThatIsMendedIsReadAgain() throws {
        let (store, _) = try open()
        let sound = try bench.record("Tune", 2)
        #expect(try store.objects(of: Tune.self, unreadable: { _, _ in }).count == 9)
        try bench.setRecord("Tune", 4, sound)
        try bench.setRecord("Tune", 9, sound)
        try store.refresh()
        #expect(try store.objects(of: Tune.self).map(\.title).filter { $0 == "0" }.count == 3)
    }
}
