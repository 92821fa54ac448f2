import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Queries in text that name fields of what relationships lead to, and patterns.
@Suite("Queries in text: paths and patterns")
struct TextPathTests {
    let store: Store

    init() throws {
        store = try Store(inMemory: RelationColumnTests.classes)
        let accounts = (0..<5).map { number in
            let account = number == 4 ? LedgerSubaccount() : LedgerAccount()
            account.name = "A\(number % 3)"
            return account
        }
        for number in 0..<60 {
            let posting = LedgerPosting()
            (posting.day, posting.cents) = (number % 7, number % 11)
            posting.memo = number % 4 == 0 ? nil : "memo \(number)"
            posting.account = number % 6 == 0 ? nil : accounts[number % 5]
            posting.partner = number % 2 == 0 ? accounts[number % 3] : nil
            store.insert(posting)
        }
        try store.save()
    }

    @Test("a path is asked of targets, and sorts by them", arguments: [false, true])
    func paths(preferIndexes: Bool) throws {
        if preferIndexes { store.reckonWithDearScans() }
        let all = try store.objects(of: LedgerPosting.self).sorted { $0.rowID < $1.rowID }
        func check(
            _ text: QueryText, sourceLocation: SourceLocation = #_sourceLocation,
            _ isMet: (LedgerPosting) -> Bool
        ) throws {
            let expected = all.filter(isMet)
            #expect(
                try store.query(LedgerPosting.self).filter(text: text).objects() == expected,
                sourceLocation: sourceLocation)
            #expect(
                try store.query(LedgerPosting.self).filter(text: text).exists() == !expected
                    .isEmpty,
                sourceLocation: sourceLocation)
            #expect(
                try store.query(LedgerPosting.self).filter(text: text).first() === expected.first,
                sourceLocation: sourceLocation)
        }
        try check("account.name = 'A1'") { $0.account?.name == "A1" }
        try check("account.name = 'A1' AND day <= 3") { $0.account?.name == "A1" && $0.day <= 3 }
        try check("account.name != 'A1'") { $0.account?.name != "A1" }
        try check("account.name IS NULL") { $0.account == nil }
        try check("account IS NULL OR partner.name > 'A0'") {
            $0.account == nil || $0.partner.map { $0.name > "A0" } ?? false
        }
        try check("partner IS NOT NULL AND account.name BEGINSWITH 'A'") {
            $0.partner != nil && $0.account != nil
        }
        try check("account.name IN ('A0', 'A2')") { ["A0", "A2"].contains($0.account?.name) }
        let named = try #require(
            try store.query(LedgerAccount.self).filter(text: "name = 'A1'").first())
        named.name = "changed"
        try check("account.name = 'changed'") { $0.account === named }
        store.rollback()
        let sorted = try store.query(LedgerPosting.self).filter(
            text: "day < 5 ORDER BY account.name DESC, cents, day DESC LIMIT 20 OFFSET 2"
        ).objects()
        let expected = all.filter { $0.day < 5 }.sorted { one, other in
            let (left, right) = (one.account?.name ?? "", other.account?.name ?? "")
            if left != right { return left > right }
            if one.cents != other.cents { return one.cents < other.cents }
            return one.day == other.day ? one.rowID < other.rowID : one.day > other.day
        }
        #expect(sorted == Array(expected.dropFirst(2).prefix(20)))
    }

    @Test("a path is planned as a predicate with it is, and makes no objects")
    func plans() throws {
        let name = "index account.day.cents of LedgerPosting"
        let query = try ObjectQuery<LedgerPosting>().filter(text: "account.name = 'A2' AND day = 3")
        let plan = try store.query(query).explain()
        #expect(plan.description.hasPrefix("\(name), account row"), "\(plan)")
        #expect(plan.objectsMade == 0)
        #expect(
            try store.query(LedgerPosting.self).filter(text: "account.name != 'A2'").explain()
                .objectsMade == 0)
    }

    @Test("a path through what is no relationship to one is refused")
    func errors() throws {
        func reason(_ text: QueryText) -> QuerySyntaxError.Reason? {
            #expect(throws: QuerySyntaxError.self) {
                try store.query(LedgerPosting.self).filter(text: text).objects()
            }?
            .reason
        }
        #expect(
            reason("account.title = 'x'")
                == .unknownField("title", known: ["name", "postings"]))
        #expect(reason("day.name = 1") == .notComparable(field: "day.name", type: "Int"))
        #expect(reason("account = 5") != nil)
        #expect(reason("account. = 5") != nil)
        #expect(reason("ORDER BY account") != nil)
    }

    @Test("a pattern has % for any characters and _ for one")
    func patterns() throws {
        for (pattern, text, isMet) in [
            ("", "", true), ("", "a", false), ("%", "", true), ("a%", "abc", true),
            ("a%", "b", false),
            ("%c", "abc", true), ("%b%", "abc", true), ("a_c", "abc", true), ("a_c", "ac", false),
            ("_%", "", false), ("a\\%", "a%", true), ("a\\%", "ab", false), ("a\\b", "a\\b", true),
            ("e\u{301}%", "\u{E9}a", true), ("%ab%ab", "abab", true), ("%ab_ab", "abab", false),
            ("A%", "abc", false), ("a\\\\%", "a\\x", true),
        ] {
            #expect(LikePattern(pattern).matches(text) == isMet, "\(text) LIKE \(pattern)")
        }
        #expect(LikePattern("ab%c").prefix == "ab")
        #expect(
            try store.query(LedgerPosting.self).filter(text: "memo LIKE 'memo 1_'").count() == 8)
        #expect(
            try store.query(LedgerPosting.self).filter(text: "memo NOT LIKE '%1%'").count() == 47)
        #expect(
            try store.query(LedgerPosting.self).filter(text: "account.name LIKE '%2'").count() == 10
        )
    }

    /// Against the definition of a pattern, word by word.
    @Test("patterns match what their definition says", arguments: 1...4)
    func randomPatterns(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        func matches(_ pattern: Substring, _ text: Substring) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            let rest = pattern.dropFirst()
            if first == "%" {
                return matches(rest, text) || !text.isEmpty && matches(pattern, text.dropFirst())
            }
            guard let character = text.first else { return false }
            return (first == "_" || first == character) && matches(rest, text.dropFirst())
        }
        for _ in 0..<2000 {
            let pattern = String((0..<random.below(7)).map { _ in "ab%_"[random.below(4)] })
            let text = String((0..<random.below(8)).map { _ in "ab%_"[random.below(2)] })
            #expect(LikePattern(pattern).matches(text) == matches(pattern[...], text[...]))
        }
    }
}

extension String {
    fileprivate subscript(offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }

    @Test("a superclass that is not registered has the fields of all its registered subclasses")
    func unregistered() throws {
        let store = try Store(inMemory: [Hound.self, Crow.self, Keeper.self])
        for (number, pet) in [Hound(), Crow(), nil].enumerated() {
            let keeper = Keeper()
            pet?.age = number + 1
            keeper.pet = pet
            store.insert(keeper)
        }
        try store.save()
        let keepers = store.query(Keeper.self)
        #expect(try keepers.filter(text: "pet.age > 1").count() == 1)
        #expect(try keepers.filter(text: "pet.age < 3").count() == 2)
        #expect(try keepers.filter(text: "pet.age >= 1 ORDER BY pet.age DESC").count() == 2)
        #expect(throws: QuerySyntaxError.self) {
            try keepers.filter(text: "pet.breed = 'b'").objects()
        }
        let empty = try Store(inMemory: [Keeper.self])
        #expect(throws: QuerySyntaxError.self) {
            try empty.query(Keeper.self).filter(text: "pet.age > 1").objects()
        }
    }

    private class Pet: StoredObject { @Field var age = 0 }
    private final class Hound: Pet {
        @Field var breed = ""
        override class var storageName: String { "Path_Hound" }
    }
    private final class Crow: Pet {
        override class var storageName: String { "Path_Crow" }
    }
    private final class Keeper: StoredObject {
        @One var pet: Pet?
        override class var storageName: String { "Path_Keeper" }
    }
}
