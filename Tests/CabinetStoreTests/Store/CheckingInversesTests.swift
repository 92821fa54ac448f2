import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// `check()` said that all was sound when the sides of an inverse were not.
struct CheckingInversesTests {
    let bench = SchemaBench()

    func open() throws -> Store { try bench.open(tunes) }

    /// The record of the object in `row`, as it was before `body` had its changes saved.
    func keepingRecord(
        _ name: String, _ row: RowID, _ body: (Store) throws -> Void
    ) throws {
        let record = try bench.record(name, row)
        let store = try open()
        try body(store)
        try store.save()
        try bench.setRecord(name, row, record)
    }

    func reports() async throws -> [CheckReport] {
        [try await open().check(), try await StoreSchema.check(bench.backend)]
    }

    /// Tunes in rows 2 and 3, and a list, a disc with a booklet and a branch with a child.
    func fill() throws {
        let store = try open()
        let (one, two, list, disc) = (Tune("One"), Tune("Two"), TuneList(), Disc())
        (list.tunes, disc.tracks, disc.booklet) = ([one, two, one], [two], Booklet())
        let root = Branch()
        root.children = [Branch()]
        for object in [one, two, list, disc, root] { store.insert(object) }
        try store.save()
    }

    @Test func bothSidesOfASoundStoreAgree() async throws {
        try fill()
        for report in try await reports() { #expect(report.isSound && report.findings == []) }
    }

    @Test func aSideThatMissesTheOtherIsFound() async throws {
        try fill()
        try keepingRecord("Tune", 3) { store in
            let list = try #require(try store.objects(of: TuneList.self).first)
            list.tunes.removeAll { $0.rowID == 3 }
        }
        for report in try await reports() {
            #expect(!report.isSound && report.counts == [.oneSided: 1])
            let finding = try #require(report.findings.first)
            #expect(finding.className == "Tune" && finding.row == 3 && finding.field == "lists")
            #expect(
                finding.description
                    == "one-sided Tune 3, lists to TuneList 2: its 'tunes' does not lead back")
        }
    }

    @Test func everyKindOfPairIsCompared() async throws {
        try fill()
        try keepingRecord("Disc", 2) { store in
            let disc = try #require(try store.objects(of: Disc.self).first)
            disc.tracks = []
            disc.booklet = nil
        }
        try keepingRecord("Branch", 3) { store in
            let branch = try #require(try store.object(Branch.self, rowID: 2))
            branch.children = []
        }
        for report in try await reports() {
            #expect(report.counts == [.oneSided: 3])
            #expect(
                Set(report.findings.map { "\($0.className ?? "").\($0.field ?? "")" })
                    == ["Disc.tracks", "Disc.booklet", "Branch.parent"])
        }
    }

    /// Each report keeps 1,000 findings, and no more passes are made for more.
    @Test func countingEndsWhereTheReportIsFull() async throws {
        let store = try open()
        let list = TuneList()
        store.insert(list)
        list.tunes = (0..<1_010).map { Tune("\($0)") }
        try store.save()
        let row = list.rowID
        try keepingRecord("TuneList", row) { store in
            try #require(try store.objects(of: TuneList.self).first).tunes = []
        }
        for report in try await reports() {
            #expect(report.counts == [.oneSided: CheckReport.limit])
            #expect(report.findings.allSatisfy { $0.className == "TuneList" && $0.row == row })
        }
    }

    /// A pair that leads from one field to the same.
    @Test func aFieldMayBeItsOwnInverse() async throws {
        let classes: [StoredObject.Type] = [Friend.self]
        let store = try bench.open(classes)
        let friends = (0..<3).map { _ in Friend() }
        friends.forEach(store.insert)
        friends[0].friends = [friends[1], friends[0]]
        friends[2].friends = [friends[1]]
        try store.save()
        #expect(friends[1].friends.count == 2)
        #expect(try await store.check().findings == [])
        let record = try bench.record("Friend", 3)
        friends[1].friends = []
        try store.save()
        try bench.setRecord("Friend", 3, record)
        #expect(try await StoreSchema.check(bench.backend).counts == [.oneSided: 2])
    }

    // MARK: Inverses that came later

    @Test func recordsFromBeforeTheInverseAreNotWrong() async throws {
        let old = try bench.open([OneSided.Singer.self, OneSided.Choir.self])
        let (singers, choir) = ((0..<3).map { _ in OneSided.Singer() }, OneSided.Choir())
        singers.forEach(old.insert)
        choir.singers = singers
        old.insert(choir)
        try old.save()
        let paired: [StoredObject.Type] = [Paired.Singer.self, Paired.Choir.self]
        // Step by step, each save with records of both times.
        for row: RowID in [2, 3, 4] {
            let store = try bench.open(paired)
            #expect(try await store.check().findings == [])
            try #require(try store.object(Paired.Singer.self, rowID: row)).name = "new"
            try store.save()
        }
        let store = try bench.open(paired)
        #expect(try await store.check().findings == [])
        try store.upgradeAll()
        #expect(try await StoreSchema.check(bench.backend).findings == [])

        // From here on both sides are kept right.
        let record = try bench.record("Singer", 2)
        let found = try #require(try store.objects(of: Paired.Choir.self).first)
        found.singers.removeFirst()
        try store.save()
        try bench.setRecord("Singer", 2, record)
        let report = try await StoreSchema.check(bench.backend)
        #expect(report.counts == [.oneSided: 1])
        #expect(report.findings.first?.className == "Singer")
    }

    @Test func whatAProgramWroteThatDidNotKnowThePairIsNotWrong() async throws {
        let paired: [StoredObject.Type] = [Paired.Singer.self, Paired.Choir.self]
        let store = try bench.open(paired)
        let (singer, choir) = (Paired.Singer(), Paired.Choir())
        choir.singers = [singer]
        store.insert(choir)
        try store.save()
        let old = try bench.open([OneSided.Singer.self, OneSided.Choir.self])
        try #require(try old.objects(of: OneSided.Choir.self).first).singers = []
        try old.save()
        #expect(try await StoreSchema.check(bench.backend).findings == [])
        let again = try bench.open(paired)
        #expect(try again.objects(of: Paired.Singer.self)[0].choirs.isEmpty)
        try again.upgradeAll()
        #expect(try await again.check().findings == [])
    }
}

private final class Friend: StoredObject {
    static let own: PartialKeyPath<Friend> & Sendable = \Friend.friends
    @Many(inverse: Friend.own) var friends: [Friend]
}
