import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

private final class Valued: StoredObject {
    @Field var number = 0
    @Field var words: Set<String> = []
    @Field var numbers: Set<Int> = []
    @Field var days: Set<Date> = []
    @Field var weights: [Int: String] = [:]
    @Field var levels: Set<Double> = []
    @One var next: Valued?
    @Many var others: [Valued]
    override class var storageName: String { "Valued" }
}

/// A document's values are taken as they stand or refused, and its order stays.
struct ImportedValueTests {
    /// Once, they came twice for an import.
    @Test func numbersThatEqualNothingComeBack() throws {
        let store = try Store(inMemory: [Valued.self])
        let valued = Valued()
        valued.levels = [.nan, .nan, 1]
        store.insert(valued)
        try store.save()
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try store.json.export(to: file)
        let other = try Store(inMemory: [Valued.self])
        try other.json.import(Data(contentsOf: file))
        let levels = try #require(try other.objects(of: Valued.self).first).levels
        #expect(levels.filter(\.isNaN).count == 2 && levels.contains(1) && levels.count == 3)
    }

    private func imported(_ fields: String) throws -> Everything {
        let store = try Store(inMemory: [Everything.self])
        let object = #"{"class":"Everything","row":1,"fields":{\#(fields)}}"#
        let text = #"{"format":"cabinet-export","version":1,"objects":[\#(object)]}"#
        try store.json.import(Data(text.utf8))
        return try #require(try store.objects(of: Everything.self).first)
    }

    @Test(arguments: [
        (#""date":"2026-02-30T00:00:00Z""#, "'date'", "2026-02-30"),
        (#""date":"2023-02-29T00:00:00Z""#, "'date'", "2023-02-29"),
        (#""date":"1900-02-29T00:00:00Z""#, "'date'", "1900-02-29"),
        (#""date":"2026-04-31T00:00:00Z""#, "'date'", "2026-04-31"),
        (#""date":"2026-13-01T00:00:00Z""#, "'date'", "2026-13-01"),
        (#""date":"2026-00-01T00:00:00Z""#, "'date'", "2026-00-01"),
        (#""date":"2026-01-00T00:00:00Z""#, "'date'", "2026-01-00"),
        (#""date":"2026-01-01T24:00:00Z""#, "'date'", "24:00:00"),
        (#""date":"2026-01-01T24:00:01Z""#, "'date'", "24:00:01"),
        (#""date":"2026-01-01T23:60:00Z""#, "'date'", "23:60"),
        (#""date":"2026-01-01T23:59:60Z""#, "'date'", "23:59:60"),
        (#""date":"2026-01-01T00:00:00.Z""#, "'date'", "00:00:00.Z"),
        (#""date":"2026-1-1T00:00:00Z""#, "'date'", "2026-1-1"),
        (#""date":"2026-01-01 00:00:00Z""#, "'date'", "2026-01-01"),
        (#""date":"2026-01-01T00:00:00+01:00""#, "'date'", "+01:00"),
        (#""date":"1582-10-10T00:00:00Z""#, "'date'", "1582-10-10"),
        (#""date":"2026-01-01T00:00:00""#, "'date'", "2026-01-01"),
        (
            #""decimal":123456789012345678901234567890123456789012345678901234567890"#, "'decimal'",
            "1234567890"
        ),
        (#""decimal":0.1234567890123456789012345678901234567890123"#, "'decimal'", "0.12345"),
        (#""decimal":1e500"#, "'decimal'", "1e500"),
        (#""decimal":1e-500"#, "'decimal'", "1e-500"),
        (#""decimal":1e99999999999999999999"#, "'decimal'", "1e9999"),
        (#""url":"a b""#, "'url'", "a b"),
        (#""tags":["a","b","a"]"#, "'tags'", "comes twice"),
        (#""counts":{"a":[1],"a":[2]}"#, "'counts'", "comes twice"),
        (#""counts":{"a":[1,2.5]}"#, #"'counts'["a"][1]"#, "2.5"),
        (#""numbers":[1,null,2147483648]"#, "'numbers'[2]", "2147483648"),
    ])
    func whatWouldChangeIsRefusedWithItsPlace(_ fields: String, place: String, value: String) {
        #expect {
            try imported(fields)
        } throws: { error in
            guard case .badImport(1, let column, let reason) = error as? StoreError else {
                return false
            }
            return column > 1 && reason.contains(place) && reason.contains(value)
        }
    }

    @Test func valuesAtTheEdgesAreTaken() throws {
        func date(_ text: String) throws -> Double {
            try imported(#""date":"\#(text)""#).date.timeIntervalSinceReferenceDate
        }
        #expect(try date("2001-01-01T00:00:00Z") == 0)
        #expect(try date("2000-02-29T00:00:00Z") == -307 * 86_400)
        #expect(try date("1583-01-01T00:00:00Z") == -13_190_860_800)
        #expect(try date("9999-12-31T23:59:59.5Z") == 252_423_993_599.5)
        for text in [
            "12345678901234567890123456789012345678", "-0.5", "1.50", "0", "-0", "0.000",
            "1e10", "100e-2", "12.345E+3", "1e127",
        ] {
            let decimal = try imported(#""decimal":\#(text)"#).decimal
            #expect(decimal == Decimal(string: text), "\(text)")
        }
        let url = try imported(#""url":"https://a.b/c?d=%20""#).url
        #expect(url?.absoluteString == "https://a.b/c?d=%20")
    }

    /// Each day and second of the calendar is what Foundation says.
    @Test func datesAreThoseOfTheCalendar() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<5000 {
            let seconds = Double(Int.random(in: -13_190_860_800..<252_423_993_600, using: &random))
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let text = date.formatted(Date.ISO8601FormatStyle())
            #expect(JSONDate.date(of: text) == date, "\(text)")
            #expect(JSONDate.isOnCalendar(text))
        }
        #expect(!JSONDate.isOnCalendar("2026-02-30") && JSONDate.isOnCalendar("2024-02-29"))
    }

    private func export(_ store: Store) throws -> String {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "Export.json")
        try store.json.export(to: file)
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Links in any order must not change the order of rows, and the same content is the same document.
    @Test func importAndExportKeepTheOrder() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            let store = try Store(inMemory: [Valued.self])
            let nodes = (0..<40).map { _ in Valued() }
            for (number, node) in nodes.enumerated() {
                node.number = number
                node.words = Set((0..<5).map { _ in "w\(random.below(99))" })
                node.numbers = Set((0..<5).map { _ in random.below(2000) - 1000 })
                node.days = Set(
                    (0..<3).map { _ in
                        Date(timeIntervalSinceReferenceDate: Double(random.below(9999)))
                    })
                for _ in 0..<4 { node.weights[random.below(50)] = "x" }
                node.next = nodes[random.below(40)]
                node.others = (0..<3).map { _ in nodes[random.below(40)] }
            }
            nodes.shuffled(using: &random).forEach(store.insert)
            if seed % 2 == 0 { try store.save() }
            let text = try export(store)
            let numbers = try store.objects(of: Valued.self).map(\.number)
            let other = try Store(inMemory: [Valued.self])
            try other.json.import(Data(text.utf8))
            #expect(try other.objects(of: Valued.self).map(\.number) == numbers)
            #expect(try export(other) == text, "pending")
            try other.save()
            let again = try Store(backend: other.backend, classes: [Valued.self])
            #expect(try export(again) == text, "saved")
        }
    }
}
