import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

private final class Figures: StoredObject {
    @Field var number = 0
    @Field var one = 0
    @Field var other = 0
    @Field var small: Int8 = 0
    @Field var date = Date(timeIntervalSinceReferenceDate: 0)
    @Field var end = Date(timeIntervalSinceReferenceDate: 0)
    @Field var list: [Int] = []
    @Field var maybe: Int?
    @Field var dates: [Date] = []
    @Many var parts: [Figures]
}

/// Arithmetic in predicates: what Swift and Foundation make of it, and an error where they trap.
@Suite("Arithmetic in predicates")
struct ArithmeticTests {
    private struct Operation {
        let predicate: (_ number: Int, _ result: Int) -> Predicate<Figures>
        /// As `addingReportingOverflow(_:)`.
        let result: (Int, Int) -> (partialValue: Int, overflow: Bool)
    }

    private static var operations: [Operation] {
        [
            Operation(
                predicate: { n, r in #Predicate { $0.number == n && $0.one + $0.other == r } },
                result: { $0.addingReportingOverflow($1) }),
            Operation(
                predicate: { n, r in #Predicate { $0.number == n && $0.one - $0.other == r } },
                result: { $0.subtractingReportingOverflow($1) }),
            Operation(
                predicate: { n, r in #Predicate { $0.number == n && $0.one * $0.other == r } },
                result: { $0.multipliedReportingOverflow(by: $1) }),
            Operation(
                predicate: { n, r in #Predicate { $0.number == n && $0.one / $0.other == r } },
                result: { $0.dividedReportingOverflow(by: $1) }),
            Operation(
                predicate: { n, r in #Predicate { $0.number == n && $0.one % $0.other == r } },
                result: { $0.remainderReportingOverflow(dividingBy: $1) }),
            Operation(
                predicate: { n, r in #Predicate { $0.number == n && -$0.one == r } },
                result: { one, _ in 0.subtractingReportingOverflow(one) }),
        ]
    }

    private static let extremes = [Int.min, .min + 1, -2, -1, 0, 1, 2, .max - 1, .max]

    private func makeStore() throws -> (store: Store, rows: [Figures]) {
        let store = try Store(inMemory: [Figures.self])
        var random = SeededRandom(seed: RunSetting.seed, part: 36)
        var pairs = Self.extremes.flatMap { one in Self.extremes.map { (one, $0) } }
        for _ in 0..<40 {
            let values = (0..<2).map { _ in
                Int(truncatingIfNeeded: random.next() >> UInt64(random.below(64)))
            }
            pairs.append((values[0], values[1]))
        }
        let rows = pairs.enumerated().map { number, pair in
            let row = Figures()
            (row.number, row.one, row.other) = (number, pair.0, pair.1)
            store.insert(row)
            return row
        }
        return (store, rows)
    }

    @Test(
        "what overflows is an error, and all else what Foundation says", arguments: [true, false])
    func operations(isPending: Bool) throws {
        let (store, rows) = try makeStore()
        if !isPending { try store.save() }
        var (errors, answers) = (0, 0)
        for row in rows {
            for operation in Self.operations {
                let (result, overflows) = operation.result(row.one, row.other)
                let predicate = operation.predicate(row.number, result)
                guard !overflows else {
                    errors += 1
                    #expect(throws: QueryError.self) {
                        try store.fetch(Figures.self, where: predicate)
                    }
                    #expect(throws: QueryError.self) {
                        try store.count(of: Figures.self, where: predicate)
                    }
                    continue
                }
                answers += 1
                #expect(try predicate.evaluate(row))
                #expect(
                    try store.fetch(Figures.self, where: predicate).map(\.number) == [row.number])
                let wrong = operation.predicate(row.number, result ^ 1)
                #expect(try store.fetch(Figures.self, where: wrong).isEmpty)
            }
        }
        #expect(errors > 50 && answers > 300)
    }

    @Test("the error says which operation it was")
    func messages() throws {
        let store = try Store(inMemory: [Figures.self])
        let row = Figures()
        (row.one, row.small) = (.max, .min)
        store.insert(row)
        #expect(throws: QueryError.overflow(operation: "\(Int.max) + 1")) {
            try store.fetch(Figures.self, where: #Predicate { $0.one + 1 > 0 })
        }
        #expect(throws: QueryError.overflow(operation: "0 - -128")) {
            try store.fetch(Figures.self, where: #Predicate { -$0.small > 0 })
        }
        #expect(throws: QueryError.divisionByZero(operation: "\(Int.max) % 0")) {
            try store.fetch(Figures.self, where: #Predicate { $0.one % $0.other == 0 })
        }
        // What an earlier part decides is not calculated.
        let tested = #Predicate<Figures> { $0.other != 0 && $0.one / $0.other > 5 }
        #expect(try store.fetch(Figures.self, where: tested).isEmpty)
    }

    /// Foundation's own `<=` holds of such a date and any other.
    @Test("two dates of one object compare as their numbers do")
    func dates() throws {
        let store = try Store(inMemory: [Figures.self])
        let row = Figures()
        row.date = Date(timeIntervalSinceReferenceDate: .nan)
        store.insert(row)
        for _ in 0..<2 {
            let predicates: [Predicate<Figures>] = [
                #Predicate { $0.date <= $0.end }, #Predicate { $0.date >= $0.end },
                #Predicate { $0.end <= $0.date }, #Predicate { $0.date == $0.date },
                #Predicate { ($0.end...$0.end).contains($0.date) },
            ]
            for predicate in predicates {
                #expect(try store.fetch(Figures.self, where: predicate).isEmpty)
            }
            #expect(try store.count(of: Figures.self, where: #Predicate { $0.date != $0.end }) == 1)
            try store.save()
        }
    }

    @Test("conditions on elements, optional values and other objects throw, too")
    func nesting() throws {
        let store = try Store(inMemory: [Figures.self])
        let row = Figures()
        (row.list, row.maybe, row.one) = ([.min, .max], .max, .max)
        row.dates = [Date(timeIntervalSinceReferenceDate: .nan)]
        row.parts = [row]
        store.insert(row)
        let failing: [Predicate<Figures>] = [
            #Predicate { $0.list.contains { $0 - 1 > 0 } },
            #Predicate { $0.list.allSatisfy { -$0 > 0 } },
            #Predicate { $0.list.filter { $0 / 0 > 1 }.count == 0 },
            #Predicate { $0.maybe.flatMap { $0 + 1 } == 3 },
            #Predicate { ($0.maybe.flatMap { $0 * 2 } ?? 0) > 3 },
            #Predicate { $0.maybe! + 1 == 3 },
            #Predicate { $0.parts.contains { $0.one + 1 > 3 } },
        ]
        let answered: [Predicate<Figures>] = [
            #Predicate { $0.list.contains { $0 / 2 > 5 } },
            #Predicate { $0.maybe.flatMap { $0 - 1 } == 9_223_372_036_854_775_806 },
            #Predicate { $0.parts.contains { $0.one - 1 > 3 } },
        ]
        let end = row.end
        for _ in 0..<2 {
            for predicate in failing {
                #expect(throws: QueryError.self) {
                    try store.fetch(Figures.self, where: predicate)
                }
            }
            for predicate in answered {
                #expect(try predicate.evaluate(row))
                #expect(try store.count(of: Figures.self, where: predicate) == 1)
            }
            #expect(
                try store.count(
                    of: Figures.self, where: #Predicate { $0.dates.contains { $0 <= end } }) == 0)
            try store.save()
        }
        store.dissolveAllRelationships()
    }
}
