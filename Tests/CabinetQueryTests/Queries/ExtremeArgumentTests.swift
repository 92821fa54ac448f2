import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

final class ExtremeNote: StoredObject {
    @Field var number = 0
    @Field var kind = 0
    @Field var text = ""

    override class var indexes: [Index] {
        [.ordered(\ExtremeNote.number), .ordered(\ExtremeNote.kind, \ExtremeNote.number)]
    }
    override class var textIndexes: [TextIndex] { [.text(\ExtremeNote.text)] }
}

/// No number that a caller can give traps, unless the call's comment says so.
@Suite("Extreme arguments")
struct ExtremeArgumentTests {
    private static let numbers = [Int.min, .min + 1, -1, 0, 1, 5, 99, 100, 101, .max - 1, .max]
    private static let limits: [Int?] = [nil] + numbers.map(Optional.some)

    private func makeStore(pending: Bool = false) throws -> Store {
        let store = try Store(inMemory: [ExtremeNote.self])
        for number in 0..<100 {
            let note = ExtremeNote()
            (note.number, note.kind) = (number, number % 5)
            note.text = "blue note \(number)"
            store.insert(note)
        }
        try store.save()
        try store.indexes.build()
        if pending { for note in try store.fetch(ExtremeNote.self, limit: 3) { note.kind = 4 } }
        return store
    }

    /// The part of `all` that a limit and an offset leave: below 0 they count as 0.
    private func window<Value>(_ all: [Value], _ limit: Int?, _ offset: Int) -> [Value] {
        let rest = all.dropFirst(max(offset, 0))
        return Array(limit.map { rest.prefix(max($0, 0)) } ?? rest)
    }

    private static func queries() -> [ObjectQuery<ExtremeNote>] {
        let predicates: [Predicate<ExtremeNote>?] = [
            nil, #Predicate { $0.number >= 10 }, #Predicate { $0.kind == 3 },
            #Predicate { $0.text.contains("1") }, #Predicate { $0.kind == 3 && $0.number > 20 },
        ]
        let orders: [[ObjectOrder<ExtremeNote>]] = [
            [], [.ascending(\.number)], [.descending(\.number)], [.ascending(\.kind)],
            [.descending(\.kind), .descending(\.number)], [.ascending(\.text)],
        ]
        return predicates.flatMap { predicate in
            orders.map { ObjectQuery(where: predicate, sortedBy: $0) }
        }
    }

    @Test("limits and offsets of queries", arguments: [false, true], [false, true])
    func queryWindows(prefersIndexes: Bool, pending: Bool) throws {
        let store = try makeStore(pending: pending)
        if prefersIndexes { store.reckonWithDearScans() }
        var turn = 0
        for var query in Self.queries() {
            let all = try store.fetch(query).map(\.rowID)
            turn += 1
            for limit in Self.limits {
                for offset in Self.numbers {
                    turn += 1
                    guard RunSetting.isTurn(of: turn) else { continue }
                    (query.limit, query.offset) = (limit, offset)
                    let wanted = window(all, limit, offset)
                    #expect(try store.fetch(query).map(\.rowID) == wanted, "\(query)")
                    #expect(try store.query(query).count() == wanted.count)
                    #expect(try store.query(query).exists() == !wanted.isEmpty)
                    #expect(try store.query(query).first()?.rowID == wanted.first)
                    #expect(try store.query(query).rowIDs() == wanted)
                    #expect(try store.query(query).values(\.number).count == wanted.count)
                }
                _ = try store.query(query).explain()
            }
        }
    }

    @Test("sizes of pages")
    func pages() throws {
        let store = try makeStore()
        store.reckonWithDearScans()
        for query in Self.queries() {
            let all = try store.fetch(query).map(\.rowID)
            for size in Self.numbers {
                let page = try store.query(query).page(limit: size)
                #expect(page.objects.map(\.rowID) == Array(all.prefix(max(size, 1))))
                guard let next = page.next else { continue }
                let second = try store.query(query).page(after: next, limit: .max)
                #expect(second.objects.map(\.rowID) == Array(all.dropFirst(max(size, 1))))
            }
        }
    }

    @Test("numbers of rows in queries in text")
    func queriesInText() throws {
        let store = try makeStore()
        store.reckonWithDearScans()
        let all = try store.query(ExtremeNote.self).filter(text: "ORDER BY number").objects().map(
            \.rowID)
        let described = try Store(
            describedBy: StoreSchema(store.backend), reading: store.backend, over: store.backend)
        for limit in Self.numbers {
            for offset in Self.numbers {
                let query = QueryText(
                    "ORDER BY number LIMIT ? OFFSET ?", parameters: [limit, offset])
                if limit < 0 || offset < 0 {
                    #expect(throws: QuerySyntaxError.self) {
                        try store.query(ExtremeNote.self).filter(text: query).objects()
                    }
                    continue
                }
                #expect(
                    try store.query(ExtremeNote.self).filter(text: query).objects().map(\.rowID)
                        == window(all, limit, offset))
                #expect(
                    try described.rows(of: "ExtremeNote", query) == window(all, limit, offset))
            }
        }
        for text in [
            "LIMIT 99999999999999999999999999999999999999999", "number = 1e999", "LIMIT 1e30",
        ] {
            _ = try? store.query(ExtremeNote.self).filter(text: QueryText(text)).objects()
        }
        for bound in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude] {
            #expect(
                try store.query(ExtremeNote.self).filter(text: "number = ?", bound).count() == 0)
        }
    }

    @Test("limits, offsets, weights and lengths of searches")
    func searches() throws {
        let store = try makeStore()
        let order: [SearchOrder] = [.relevance, .row]
        for order in order {
            let all = try store.query(ExtremeNote.self).search("blue", orderedBy: order).map(
                \.object.rowID)
            for limit in Self.limits {
                for offset in Self.numbers {
                    let found = try store.query(ExtremeNote.self).limit(limit).offset(offset)
                        .search("blue", orderedBy: order)
                    #expect(found.map(\.object.rowID) == window(all, limit, offset))
                    #expect(found.totalCount == 100)
                }
            }
        }
        for weight in [Double.nan, .infinity, -.infinity, -1, -.leastNonzeroMagnitude] {
            #expect(throws: StoreError.self) {
                try store.query(ExtremeNote.self).search("blue", weights: ["text": weight])
            }
        }
        for weight in [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
            #expect(
                try store.query(ExtremeNote.self).search("blue", weights: ["text": weight]).count
                    == 100)
        }
        for distance in ["0", "\(Int.max)", "99999999999999999999"] {
            _ = try? store.search(ExtremeNote.self, "NEAR(blue note, \(distance))")
        }
        let hit = try #require(try store.search(ExtremeNote.self, "note", limit: 1).first)
        for length in Self.numbers {
            #expect(!hit.snippet(in: \.text, length: length).text.isEmpty)
        }
        for limit in Self.numbers {
            let words = try store.suggestions(for: "no", in: \ExtremeNote.text, limit: limit)
            #expect(words.map(\.word) == (limit > 0 ? ["note"] : []))
        }
    }

    @Test("limits of undo, capacities, rows and versions")
    func others() throws {
        let store = try makeStore()
        let history = store.undoHistory
        history.isEnabled = true
        let note = try #require(try store.fetch(ExtremeNote.self, limit: 1).first)
        for limit in Self.numbers {
            (history.stepLimit, history.byteLimit) = (limit, limit)
            #expect(history.stepLimit == max(limit, 1) && history.byteLimit == max(limit, 0))
            for _ in 0..<3 { note.kind += 1 }
            #expect(try history.undo())
            try store.save()
        }
        for number in Self.numbers {
            var list = ObjectList<ExtremeNote>([note])
            list.reserveCapacity(number)
            list.append(note)
            #expect(list.count == 2)
            var text = QueryText.StringInterpolation(
                literalCapacity: number, interpolationCount: number)
            text.appendLiteral("number = 1")
            _ = SharedIndex<Int>(named: "shared", version: number)
            _ = Tokenizer.own(name: "own", version: number) { _, _ in }.fingerprint
            _ = Collation(name: "own", version: number) { Array($0.utf8) }.fingerprint
        }
        for row in [UInt32.min, 1, 2, .max - 1, .max] {
            #expect(
                try store.object(ExtremeNote.self, rowID: RowID(row)) == nil
                    || (2...101).contains(row))
            var read = RowID(0)
            let bytes = OrderedKey(1).bytes(withRow: RowID(row))
            _ = bytes.withUnsafeBytes { OrderedKey($0, row: &read) }
            #expect(read == RowID(row))
        }
        for length in [1, 256] {
            store.author = String(repeating: "a", count: length)
            note.kind += 1
            try store.save()
        }
    }

    @Test("numbers that engines are given", arguments: [true, false])
    func engines(inMemory: Bool) throws {
        let directory = try TemporaryDirectory()
        let backend: any Backend =
            inMemory
            ? MemoryBackend(
                changesKept: .min, snapshots: SnapshotLimits(memory: .min, total: .min))
            : try TokyoBackend(path: directory.url.appending(path: "Store").path)
        let table = try backend.claim(TableClaim(kind: .ordered, name: "Extremes"))
        let batch = WriteBatch()
        for puts in Self.numbers { batch.expect(puts, in: table.number) }
        try batch.define(table)
        for number in 0..<20 {
            try OrderedKey(number).bytes.withUnsafeBytes { key in
                try batch.put(
                    UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: table.number)
            }
        }
        try backend.commit(batch)
        let run = EntryRun()
        for number in Self.numbers {
            let key = try backend.key(at: number, in: table.number)
            #expect((key != nil) == (0..<20 ~= number), "\(number)")
            for isDescending in [false, true] {
                let cursor = try backend.entries(
                    in: table.number, range: .everything, descending: isDescending)
                #expect(try cursor.next(run, limit: number))
                var count = 0
                while run.next() != nil { count += 1 }
                #expect(count == min(max(number, 1), 20))
                let rows = RowRun()
                _ = try cursor.next(rows, limit: number)
            }
        }
        let rows = try backend.claim(TableClaim(kind: .record, name: "Rows"))
        for count in [UInt32.min, 1, .max, .max - 1, 1] {
            _ = try? backend.reserveRows(count, in: rows.number)
        }
        for number in [CommitNumber(0), .max, CommitNumber(.max - 1)] {
            _ = try? backend.changes(after: number)
        }
        try backend.close()
    }

    @Test("a field with the name of a word of the language is shown how to be written")
    func reservedNames() throws {
        let store = try makeStore()
        for (text, name) in [
            ("limit = 5", "limit"), ("Order > 3", "Order"), ("number > 1 AND limit > 3", "limit"),
            ("order by limit", "limit"), ("offset in (1, 2)", "offset"), ("5 < limit", "limit"),
            ("number = order", "order"), ("limit like 'a'", "limit"), ("limit is null", "limit"),
            ("not order = 1", "order"),
        ] {
            let error = try #require(throws: QuerySyntaxError.self) {
                try store.query(ExtremeNote.self).filter(text: QueryText(text)).objects()
            }
            #expect(
                error.description.contains("stands in backquotes: `\(name)`"), "\(text): \(error)")
        }
    }
}
