import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Values at the edges of their order, NaN of every kind among them, give the same answers by an index, by a
/// scan and by a query in text, and those of plain Swift; sorted, NaN is last.
@Suite("Values at the edges of their order")
struct EdgeValueTests {
    private static let types: [any EdgeValue.Type] = [
        Int8.self, Int64.self, UInt64.self, Int128.self, UInt128.self, Double.self, Float.self,
        Date.self, Decimal.self, String.self, UUID.self,
    ]

    private func run<Value: EdgeValue>(
        _ type: Value.Type, _ rows: [(value: Value, maybe: Value?)], _ bounds: [Value]
    ) async throws {
        let bench = try EdgeBench(rows)
        try bench.compareConditions(bounds)
        try bench.compareOrders()
        try bench.compareResults()
        try await bench.compareCopies()
    }

    private func runEdges<Value: EdgeValue>(_ type: Value.Type) async throws {
        let edges = Value.edges
        var rows = edges.enumerated().map { place, value in
            (value: value, maybe: place % 3 == 0 ? nil : Optional(edges[(place * 5) % edges.count]))
        }
        rows += rows.reversed()
        try await run(type, rows, edges)
    }

    private func runRandom<Value: EdgeValue>(_ type: Value.Type, part: Int) async throws {
        var random = SeededRandom(seed: RunSetting.seed, part: UInt64(part))
        func value() -> Value {
            random.once(in: 2) ? Value.edges[random.below(Value.edges.count)] : .random(&random)
        }
        for _ in 0..<RunSetting.repetitions(4) {
            let rows = (0..<40).map { _ in
                (value: value(), maybe: random.once(in: 4) ? nil : value())
            }
            try await run(type, rows, (0..<8).map { _ in value() })
        }
    }

    @Test("each edge", arguments: types.indices)
    func edges(_ index: Int) async throws { try await runEdges(Self.types[index]) }

    @Test("random values among them", arguments: types.indices)
    func randomValues(_ index: Int) async throws {
        try await runRandom(Self.types[index], part: index)
    }

    private func checkUnique<Value: EdgeValue>(_ type: Value.Type) throws {
        for one in Value.edges {
            let store = try Store(inMemory: [UniqueEdge<Value>.self])
            for other in Value.edges {
                if OrderedKey(one).isCut || OrderedKey(other).isCut { continue }
                for value in [one, other] {
                    let row = UniqueEdge<Value>()
                    row.value = value
                    store.insert(row)
                }
                let isRefused = !one.isNothing && one == other
                if isRefused {
                    #expect(throws: StoreError.self) { try store.save() }
                } else {
                    try store.save()
                    let rows = try store.objects(of: UniqueEdge<Value>.self)
                    // NaN that was there leaves no entry behind.
                    for row in rows { row.value = Value.edges[1] }
                    try store.delete(rows[0])
                    try store.save()
                    let again = try store.upsert(
                        UniqueEdge<Value>.self, by: \.value, Value.edges[1]
                    ) { _ in }
                    #expect(again === rows[1])
                }
                store.rollback()
                try store.deleteAll(of: UniqueEdge<Value>.self)
                try store.save()
            }
        }
    }

    @Test("unique: NaN equals nothing, all else itself", arguments: types.indices)
    func unique(_ index: Int) throws { try checkUnique(Self.types[index]) }

    @Test("a number that is NaN makes a sum NaN, by index and by scan")
    func sums() throws {
        let doubles = try EdgeBench<Double>([(1, nil), (.nan, 2), (3, .nan), (.infinity, nil)])
        let decimals = try EdgeBench<Decimal>([(1, nil), (.nan, 2), (3, .nan), (5, nil)])
        #expect(try doubles.indexed.query(EdgeRow<Double, Indexed>.self).sum(\.value).isNaN)
        #expect(try doubles.scanned.query(EdgeRow<Double, Scanned>.self).sum(\.value).isNaN)
        #expect(try decimals.indexed.query(EdgeRow<Decimal, Indexed>.self).sum(\.value).isNaN)
        #expect(try decimals.scanned.query(EdgeRow<Decimal, Scanned>.self).sum(\.maybe).isNaN)
    }
}
