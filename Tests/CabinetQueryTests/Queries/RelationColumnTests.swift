import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// An account of a ledger, which postings refer to in three ways.
class LedgerAccount: StoredObject {
    @Field var name = ""
    @Many(inverse: \LedgerPosting.account) var postings: [LedgerPosting]

    override class var indexes: [Index] { [.ordered(\LedgerAccount.name)] }
}

final class LedgerSubaccount: LedgerAccount {
    @Field var note = ""
}

class LedgerPosting: StoredObject {
    @Field var day = 0
    @Field var cents = 0
    @Field var memo: String?
    @One var account: LedgerAccount?
    /// Taken out when its object is deleted, though nothing leads back.
    @One(onDelete: .nullify) var partner: LedgerAccount?

    override class var indexes: [Index] {
        [
            .ordered(\LedgerPosting.account, \LedgerPosting.day, \LedgerPosting.cents),
            .ordered(\LedgerPosting.day, \LedgerPosting.partner, \LedgerPosting.cents),
            .ordered(\LedgerPosting.partner, \LedgerPosting.account),
            .ordered(\LedgerPosting.cents, \LedgerPosting.memo, \LedgerPosting.account),
        ]
    }
}

final class LedgerSubposting: LedgerPosting {
    @Field var note = ""
}

/// A relationship to one is a column of an index like others.
@Suite("Indexes: columns of relationships")
struct RelationColumnTests {
    static let classes: [StoredObject.Type] = [
        LedgerAccount.self, LedgerSubaccount.self, LedgerPosting.self, LedgerSubposting.self,
    ]

    /// 4 accounts with 100 postings each, on 50 days, and 10 postings without an account.
    private func makeStore() throws -> (Store, [LedgerAccount]) {
        let store = try Store(inMemory: [LedgerAccount.self, LedgerPosting.self])
        let accounts = (0..<4).map { number in
            let account = LedgerAccount()
            account.name = "Account \(number)"
            return account
        }
        for account in accounts { store.insert(account) }
        for number in 0..<410 {
            let posting = LedgerPosting()
            (posting.day, posting.cents) = (number / 4 % 50, number)
            if number < 400 { posting.account = accounts[number % 4] }
            posting.partner = number % 3 == 0 ? nil : accounts[number % 2]
            store.insert(posting)
        }
        try store.save()
        return (store, accounts)
    }

    private func steps(_ plan: QueryPlan) -> [String] {
        plan.description.split(separator: "\n").map(String.init)
    }

    @Test("a target and an interval of the next column are one range, and its keys say the sum")
    func balances() throws {
        let (store, accounts) = try makeStore()
        let row = accounts[1].rowID
        let until = #Predicate<LedgerPosting> { $0.account?.rowID == row && $0.day <= 20 }
        let name = "index account.day.cents of LedgerPosting"
        #expect(
            steps(try store.query(LedgerPosting.self).filter(until).explainAggregate(.sum(\.cents)))
                .first
                == "\(name), account row \(row), day ...20, from the index alone: 42 rows")
        let all = try store.objects(of: LedgerPosting.self)
        let expected = try all.filter { try until.evaluate($0) }
        #expect(expected.count == 42)
        #expect(
            try store.query(LedgerPosting.self).filter(until).sum(\.cents)
                == expected.reduce(0) { $0 + $1.cents })
        #expect(try store.count(of: LedgerPosting.self, where: until) == 42)
        #expect(try store.fetch(LedgerPosting.self, where: until) == expected)
        // The latest of one account, by the order of the keys.
        let latest = ObjectQuery<LedgerPosting>(
            where: #Predicate { $0.account?.rowID == row },
            sortedBy: [.descending(\.day), .descending(\.cents)], limit: 3)
        #expect(
            steps(try store.query(latest).explain()).first
                == "\(name) in order, account row \(row): 3 rows"
        )
        let sorted = all.filter { $0.account === accounts[1] }
            .sorted { ($0.day, $0.cents) > ($1.day, $1.cents) }
        #expect(try store.fetch(latest) == Array(sorted.prefix(3)))
    }

    @Test(
        "objects are told from others by their row, their id and their objectID, and nil from all")
    func identities() throws {
        let (store, accounts) = try makeStore()
        let (id, objectID) = (accounts[2].id, accounts[2].objectID)
        let (other, far) = (
            LedgerAccount().id, ObjectID<LedgerAccount>("00000000000000010002000000aa")
        )
        let predicates: [(Predicate<LedgerPosting>, Int)] = [
            (#Predicate { $0.account?.id == id }, 100),
            (#Predicate { $0.account?.objectID == objectID }, 100),
            (#Predicate { $0.account == nil }, 10),
            (#Predicate { $0.account != nil && $0.day == 3 }, 8),
            (#Predicate { $0.account?.id != id && $0.day == 3 }, 6),
            (#Predicate { $0.account?.id == other }, 0),
            (#Predicate { $0.account?.objectID == far }, 0),
            (#Predicate { ($0.account?.id ?? other) == id }, 100),
        ]
        for (number, (predicate, count)) in predicates.enumerated() {
            let plan = try store.query(ObjectQuery(where: predicate)).explain()
            #expect(
                try store.fetch(LedgerPosting.self, where: predicate).count == count, "\(number)")
            let plain = try store.objects(of: LedgerPosting.self).count {
                try predicate.evaluate($0)
            }
            #expect(plain == count, "\(number)")
            // Whether an object outside a store has come into one since, only objects say.
            if number == 5 { continue }
            #expect(!plan.description.contains("makes objects"), "\(number): \(plan)")
        }
    }

    @Test("objects are put into groups by their target without being made")
    func groups() throws {
        let (store, accounts) = try makeStore()
        let groups = try store.query(LedgerPosting.self).groups(
            by: \.account, .count, .sum(\.cents))
        #expect(groups.map(\.key) == [nil] + accounts)
        #expect(groups.map(\.results.0) == [10, 100, 100, 100, 100])
        let plan = try store.query(LedgerPosting.self).explainGroups(by: \.account, .sum(\.cents))
        #expect(plan.description.hasSuffix("from the index alone: about 410 rows"), "\(plan)")
        #expect(
            try store.query(LedgerPosting.self).distinctValues(of: \.partner) == [
                nil, accounts[0], accounts[1],
            ])
    }

    // MARK: At random

    /// A script of edits of two stores; after each step, queries by indexes are compared with what a look at
    /// all objects says.
    @Test(
        "indexes of relationships answer as all objects do", arguments: IndexScene.Engine.allCases,
        1...3)
    func model(engine: IndexScene.Engine, seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let scene = try IndexScene(engine)
        let stores = [try scene.open(Self.classes), try scene.open(Self.classes)]
        for store in stores { store.reckonWithDearScans() }
        for step in 0..<20 {
            let store = stores[random.below(2)]
            try store.refresh()
            for _ in 0...random.below(5) { try edit(store, &random) }
            try compare(store, &random, "seed \(seed), step \(step)")
            switch random.below(4) {
            case 0: store.rollback()
            case 1: break
            default: try store.save(onConflict: .mine)
            }
            if store.hasChanges, random.below(2) == 0 { store.rollback() }
            try store.save(onConflict: .mine)
            try compare(store, &random, "seed \(seed), step \(step) saved")
        }
        for store in stores {
            #expect(try store.indexFindings().isEmpty)
            try store.close()
        }
    }

    private func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let accounts = try store.query(LedgerAccount.self).includingSubclasses().objects()
        let postings = try store.query(LedgerPosting.self).includingSubclasses().objects()
        func any<Object>(_ objects: [Object]) -> Object? {
            random.below(6) == 0 || objects.isEmpty ? nil : objects[random.below(objects.count)]
        }
        switch random.below(9) {
        case 0:
            let account = random.below(3) == 0 ? LedgerSubaccount() : LedgerAccount()
            account.name = "A\(random.below(4))"
            store.insert(account)
        case 1: if accounts.count > 3, let account = any(accounts) { try store.delete(account) }
        case 2: if let posting = any(postings) { try store.delete(posting) }
        case 3: any(postings)?.account = any(accounts)
        case 4: any(postings)?.partner = any(accounts)
        case 5: any(postings)?.day = random.below(5)
        case 6: any(accounts)?.postings = postings.filter { _ in random.below(4) == 0 }
        default:
            let posting = random.below(4) == 0 ? LedgerSubposting() : LedgerPosting()
            (posting.day, posting.cents) = (random.below(5), random.below(7))
            posting.memo = random.below(3) == 0 ? nil : "M\(random.below(3))"
            (posting.account, posting.partner) = (any(accounts), any(accounts))
            store.insert(posting)
        }
    }

    private func predicates(
        _ store: Store, _ random: inout SeededRandom
    ) throws -> [Predicate<LedgerPosting>] {
        let accounts = try store.query(LedgerAccount.self).includingSubclasses().objects()
        guard !accounts.isEmpty else { return [] }
        let (one, other) = (
            accounts[random.below(accounts.count)], accounts[random.below(accounts.count)]
        )
        let (row, id, objectID, otherRow) = (one.rowID, one.id, one.objectID, other.rowID)
        let (day, cents, name) = (random.below(5), random.below(7), one.name)
        return [
            #Predicate { $0.account?.rowID == row && $0.day <= day },
            #Predicate { $0.account?.id == id && $0.day == day && $0.cents > cents },
            #Predicate { $0.account?.objectID == objectID },
            #Predicate { $0.account == nil && $0.day > day },
            #Predicate { $0.account != nil },
            #Predicate { $0.account?.rowID != row && $0.cents < cents },
            #Predicate { $0.day == day && $0.partner?.rowID == row },
            #Predicate { $0.day == day && $0.partner == nil && $0.cents >= cents },
            #Predicate { $0.partner?.rowID == row && $0.account?.rowID == otherRow },
            #Predicate { $0.partner?.rowID == row || $0.account?.id == id },
            #Predicate { $0.account?.rowID == row || $0.account == nil },
            #Predicate { !($0.account?.rowID == row) && $0.day == day },
            #Predicate { $0.cents == cents && $0.memo == nil && $0.account?.rowID == row },
            #Predicate { $0.account?.name == name && $0.day >= day },
            #Predicate { ($0.account?.name ?? "") == name || $0.partner?.id == id },
        ]
    }

    private func compare(_ store: Store, _ random: inout SeededRandom, _ place: String) throws {
        let own = try store.objects(of: LedgerPosting.self)
        let all = try store.query(LedgerPosting.self).includingSubclasses().objects()
        for (number, predicate) in try predicates(store, &random).enumerated() {
            let place: Comment = "\(place), predicate \(number)"
            let expected = try own.filter { try predicate.evaluate($0) }
            let found = try store.fetch(LedgerPosting.self, where: predicate)
            #expect(found == expected.sorted { $0.rowID < $1.rowID }, place)
            #expect(
                try store.count(of: LedgerPosting.self, where: predicate) == expected.count, place)
            #expect(
                try store.query(LedgerPosting.self).filter(predicate).exists() == !expected.isEmpty,
                place)
            let sum = try store.query(LedgerPosting.self).filter(predicate).sum(\.cents)
            #expect(sum == expected.reduce(0) { $0 + $1.cents }, place)
            let isDescending = random.below(2) == 0
            let query = ObjectQuery<LedgerPosting>(
                where: predicate,
                sortedBy: isDescending
                    ? [.descending(\.day), .descending(\.cents)]
                    : [.ascending(\.day), .ascending(\.cents)],
                limit: 1 + random.below(4), offset: random.below(3))
            let sorted = expected.sorted { one, other in
                let (left, right) = ([one.day, one.cents], [other.day, other.cents])
                if left == right { return one.rowID < other.rowID }
                return left.lexicographicallyPrecedes(right) != isDescending
            }
            #expect(
                try store.fetch(query)
                    == Array(sorted.dropFirst(query.offset).prefix(query.limit ?? 0)), place)
            let expectedOfAll = try all.filter { try predicate.evaluate($0) }
            #expect(
                try store.query(LedgerPosting.self).filter(predicate).includingSubclasses()
                    .aggregate(.count, .sum(\.cents))
                    == (expectedOfAll.count, expectedOfAll.reduce(0) { $0 + $1.cents }), place)
            let groups = try store.query(LedgerPosting.self).filter(predicate).includingSubclasses()
                .groups(by: \.account, .count, .sum(\.cents))
            let byAccount = Dictionary(grouping: expectedOfAll, by: \.account)
            #expect(groups.count == byAccount.count, place)
            for (account, (count, sum)) in groups {
                #expect(count == byAccount[account]?.count, place)
                #expect(sum == byAccount[account]?.reduce(0) { $0 + $1.cents }, place)
            }
            #expect(
                try Set(
                    store.query(LedgerPosting.self).filter(predicate).distinctValues(of: \.partner))
                    == Set(expected.map(\.partner)), place)
            #expect(
                try store.query(ObjectQuery(where: predicate)).values(\.account)
                    == found.map(\.account),
                place)
        }
    }
}
