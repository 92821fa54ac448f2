import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// What is sold, and what a trigger after saves sums up of it.
private final class Sale: StoredObject {
    @Field var cents = 0

    override class var triggers: [Trigger] {
        [
            .after(Sale.self, named: "total") { store, event in
                let total = try store.objects(of: Total.self).first ?? Total()
                store.insert(total)
                total.calls += 1
                total.cents += Sale.difference(event.kind)
                if let failure = failures.withLock({ $0[store.backend.identity]?.popLast() }) {
                    throw failure
                }
            }
        ]
    }

    struct Refused: Error, Equatable {}

    /// What the next calls throw, by the number of the store.
    static let failures = Guarded<[UInt64: [Refused]]>([:])

    static func difference(_ kind: ObjectEvent<Sale>.Kind) -> Int {
        func cents(_ fields: [DecodedField]) -> Int {
            number(fields.first { $0.name == "cents" }?.value)
        }
        func number(_ value: FieldValue?) -> Int {
            if case .integer(let number) = value { Int(number) } else { 0 }
        }
        return switch kind {
        case .inserted(let fields): cents(fields)
        case .deleted(let fields): -cents(fields)
        case .changed(let fields): fields.reduce(0) { $0 + number($1.new) - number($1.old) }
        // The commits of these tests have what they replace.
        case .written: .min
        }
    }
}

private final class Total: StoredObject {
    @Field var cents = 0
    @Field var calls = 0
}

/// Each makes one of the other after a save.
private final class Ping: StoredObject {
    override class var triggers: [Trigger] {
        [.after(Ping.self, named: "ping") { store, _ in store.insert(Pong()) }]
    }
}

private final class Pong: StoredObject {
    override class var triggers: [Trigger] {
        [.after(Pong.self, named: "pong") { store, _ in store.insert(Ping()) }]
    }
}

extension StoreContainer {
    /// Returns once the triggers, each of the class of that name, have been called for all that they are to
    /// be called for, and traps after minutes without that.
    fileprivate func settle(_ triggers: (name: String, className: String)...) async throws {
        for _ in 0..<12_000 {
            if try triggers.allSatisfy({ try isDone($0.name, $0.className) }) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        preconditionFailure("triggers do not come to rest")
    }

    private func isDone(_ name: String, _ className: String) throws -> Bool {
        let last = try backend.lastCommit()
        guard let start = try backend.keptChanges(for: "trigger/\(name)")?.position else {
            return false
        }
        guard let type = classes.first(where: { $0.storageName == className }) else { return false }
        let names = TableNames(of: type, among: classes)
        let reader = EventReader(backend, of: [names], after: start, keepsReaders: false)
        while let commit = try reader.next() {
            if !commit.events.isEmpty, !commit.triggers.contains(name) { return false }
        }
        // Another trigger may have made a commit meanwhile.
        return try backend.lastCommit() == last
    }
}

struct AfterTriggerTests {
    private static let classes: [StoredObject.Type] = [Sale.self, Total.self]

    @Test func whatATriggerChangesIsSavedOnceForEachEvent() async throws {
        let container = StoreContainer(inMemory: Self.classes)
        let store = try container.makeStore()
        var random = SeededRandom(seed: 39)
        var sales: [Sale] = []
        for _ in 0..<40 {
            for _ in 0..<random.below(4) {
                switch random.below(4) {
                case 0 where !sales.isEmpty:
                    try store.delete(sales.remove(at: random.below(sales.count)))
                case 1 where !sales.isEmpty: sales[random.below(sales.count)].cents += 7
                default:
                    let sale = Sale()
                    sale.cents = random.below(1000)
                    sales.append(sale)
                    store.insert(sale)
                }
            }
            try store.save()
        }
        try await container.settle(("total", "Sale"))
        try store.refresh()
        let total = try #require(try store.objects(of: Total.self).first)
        #expect(try total.cents == store.query(Sale.self).sum(\.cents))
        #expect(try store.count(of: Total.self) == 1 && total.calls >= 40)
        let author = try #require(
            try container.backend.changes(after: store.basis.previous).next()?.author)
        #expect(try container.backend.author(author) == "total")
        try store.close()
        try container.close()
    }

    @Test func aTriggerGoesOnInTheNextRunWithFormerValues() async throws {
        let scratch = ScratchDirectory()
        let url = URL(filePath: scratch.file("store"))
        var container = try StoreContainer(
            directory: url, classes: Self.classes, durability: .process)
        let identity = container.backend.identity
        Sale.failures.withLock { $0[identity] = Array(repeating: Sale.Refused(), count: 1_000) }
        var store = try container.makeStore()
        let sale = Sale()
        sale.cents = 100
        store.insert(sale)
        try store.save()
        sale.cents = 30
        try store.save()
        let other = Sale()
        other.cents = 5
        store.insert(other)
        try store.save()
        try store.delete(other)
        try store.save()
        #expect(try store.count(of: Total.self) == 0)
        try store.close()
        try container.close()
        Sale.failures.withLock { $0[identity] = nil }
        container = try StoreContainer(directory: url, classes: Self.classes, durability: .process)
        store = try container.makeStore()
        try await container.settle(("total", "Sale"))
        try store.refresh()
        let total = try #require(try store.objects(of: Total.self).first)
        #expect((total.cents, total.calls) == (30, 4))
        try store.close()
        try container.close()
    }

    @Test func aTriggerThatThrowsKeepsNothingAndIsCalledAgain() async throws {
        let said = Guarded<[String]>([])
        let container = StoreContainer(
            inMemory: Self.classes,
            log: LogSink { level, text in if level == .error { said.withLock { $0.append(text) } } }
        )
        Sale.failures.withLock {
            $0[container.backend.identity] = [Sale.Refused(), Sale.Refused()]
        }
        try await container.write { store in
            let sale = Sale()
            sale.cents = 3
            store.insert(sale)
        }
        try await container.settle(("total", "Sale"))
        let found = try await container.read { store in
            try store.objects(of: Total.self).map { [$0.cents, $0.calls] }
        }
        #expect(found == [[3, 1]])
        let texts = said.withLock { $0 }
        #expect(
            texts.count == 2
                && texts.allSatisfy { $0.contains("'total'") && $0.contains("Refused") })
        try container.close()
    }

    @Test func aCircleOfTriggersEnds() async throws {
        let container = StoreContainer(inMemory: [Ping.self, Pong.self])
        try await container.write { $0.insert(Ping()) }
        try await container.settle(("ping", "Ping"), ("pong", "Pong"))
        let counts = try await container.read {
            [try $0.count(of: Ping.self), try $0.count(of: Pong.self)]
        }
        #expect(counts == [2, 1])
        try container.close()
    }

    @Test func aTriggerGoesOnBehindCommitsThatAreGone() async throws {
        let said = Guarded<[String]>([])
        let container = StoreContainer(
            inMemory: Self.classes,
            log: LogSink { level, text in if level == .error { said.withLock { $0.append(text) } } }
        )
        let store = try container.makeStore()
        try container.letGoOfCommits(for: "trigger/total")
        store.insert(Sale())
        try store.save()
        for _ in 0..<12_000 where said.withLock({ $0.isEmpty }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(said.withLock { $0.first?.contains("does not have all commits") } == true)
        for _ in 0..<12_000 where try container.keptCommits().isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
        let sale = Sale()
        sale.cents = 8
        store.insert(sale)
        try store.save()
        try await container.settle(("total", "Sale"))
        try store.refresh()
        #expect(try store.objects(of: Total.self).map(\.cents) == [8])
        try store.close()
        try container.close()
    }

    @Test func namesThatCannotStandForATriggerAreRefused() {
        final class Odd: StoredObject {
            override class var triggers: [Trigger] {
                [.after(Odd.self, named: "two words") { _, _ in }]
            }
        }
        final class Double: StoredObject {
            override class var triggers: [Trigger] {
                [
                    .after(Double.self, named: "same") { _, _ in },
                    .after(Double.self, named: "same") { _, _ in },
                ]
            }
        }
        for (type, name) in [(Odd.self, "two words"), (Double.self, "same")]
            as [(StoredObject.Type, String)]
        {
            #expect {
                _ = try Store(backend: MemoryBackend(), classes: [type])
            } throws: { error in
                guard case StoreError.badTrigger(_, name, _) = error else { return false }
                return true
            }
        }
    }

    @Test func aTriggerCannotSaveByItself() async throws {
        final class Hasty: StoredObject {
            static let found = Guarded<StoreError?>(nil)
            override class var triggers: [Trigger] {
                [
                    .after(Hasty.self, named: "hasty") { store, _ in
                        do { try store.save() } catch let error as StoreError {
                            found.withLock { $0 = error }
                        }
                    }
                ]
            }
        }
        let container = StoreContainer(inMemory: [Hasty.self])
        try await container.write { $0.insert(Hasty()) }
        try await container.settle(("hasty", "Hasty"))
        #expect(Hasty.found.withLock { $0 } == .stepUnderWay)
        try container.close()
    }
}
