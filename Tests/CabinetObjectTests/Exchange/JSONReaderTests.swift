import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Gives a byte at a time.
private final class Trickle: ByteSource {
    private var rest: ArraySlice<UInt8>
    init(_ text: String) { rest = Array(text.utf8)[...] }
    func next() -> [UInt8] { rest.popFirst().map { [$0] } ?? [] }
}

struct JSONReaderTests {
    private func read(_ text: String) throws -> JSONValue {
        let whole = JSONReader(DataSource(Array(text.utf8)))
        let value = try whole.readValue()
        try whole.expectEnd()
        let trickle = JSONReader(Trickle(text))
        #expect(try trickle.readValue() == value)
        #expect(trickle.offset <= text.utf8.count)
        return value
    }

    /// Once, an export wrote of one object what an import refuses.
    @Test func valuesAreCountedAsTheyAreRead() throws {
        for text in [
            "1", "[]", "{}", #"[1,[2,{"a":3,"b":[]}],null]"#, #"{"a":{"b":[true,"x,[\"{"]}}"#,
        ] {
            let count = try read(text).valueCount
            let most = JSONValue.verbatim(text).valueCount
            #expect(text.contains("[]") || text.contains("{}") ? most > count : most == count)
            let bytes = Array(text.utf8)
            _ = try JSONReader(DataSource(bytes)).readValue(limit: count)
            #expect(throws: (any Error).self) {
                try JSONReader(DataSource(bytes)).readValue(limit: count - 1)
            }
        }
    }

    @Test func valuesAreWhatTheStandardSays() throws {
        #expect(try read(" null ") == .null)
        #expect(
            try read("[true,false , -0,1.5e+3]")
                == .list([.truth(true), .truth(false), .digits("-0"), .digits("1.5e+3")]))
        #expect(try read("{ }") == .object([]))
        #expect(
            try read("{\"a\":{\"b\":[]}}")
                == .object([.init(name: "a", value: .object([.init(name: "b", value: .list([]))]))])
        )
        #expect(
            try read(#""\"\\\/\b\f\n\r\t\u00e4\ud83c\udfb5 ä🎵""#)
                == .text("\"\\/\u{8}\u{c}\n\r\tä🎵 ä🎵"))
    }

    @Test(arguments: [
        "", " ", "nul", "nulls", "tru", "+1", "01", ".5", "1.", "1e", "1e+", "-", "[1,]", "[1 2]",
        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "'a'", "\"", "\"\\x\"", "\"\\u12\"",
        "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\n\"", "[", "{", "]", "NaN",
        "\u{feff}1",
    ]) func otherTextsAreRefused(_ text: String) {
        #expect(throws: StoreError.self) { try read(text) }
    }

    @Test func bytesThatAreNoUTF8AreRefused() {
        for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE4]] as [[UInt8]] {
            let reader = JSONReader(DataSource([0x22] + bytes + [0x22]))
            #expect(throws: StoreError.self) { try reader.readValue() }
        }
    }

    @Test func whatIsWrittenIsRead() throws {
        let value = JSONValue.object([
            .init(name: "a\u{0}\"\\", value: .list([.text("\u{7f}\n"), .null, .truth(true)])),
            .init(name: "", value: .digits("12.5")),
        ])
        #expect(try read(value.written) == value)
    }

    /// Foundation is the other opinion.
    @Test func foundationAgrees() throws {
        var random = SeededRandom(seed: 4)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "1", "-2.5e1", "true", "null", " ", "\"\\n\"",
        ]
        var valid = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1..<7, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let isValid =
                (try? JSONSerialization.jsonObject(
                    with: Data(text.utf8), options: .fragmentsAllowed)) != nil
            #expect(((try? read(text)) != nil) == isValid, "\(text)")
            valid += isValid ? 1 : 0
        }
        #expect(valid > 500)
    }

    @Test func datesAreWrittenWithAllTheirDigits() throws {
        var random = SeededRandom(seed: 8)
        var dates = [
            -13_190_860_800.0, 252_423_993_599.999, 0, 0.5, 785_000_000.123456, -0.25, 1e-7,
        ]
        for _ in 0..<2000 { dates.append(Double.random(in: -1.3e10...2.5e11, using: &random)) }
        for seconds in dates {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            guard case .text(let text) = JSONDate.json(of: date) else {
                Issue.record("\(seconds) is no text")
                continue
            }
            #expect(JSONDate.date(of: text)?.timeIntervalSinceReferenceDate == seconds, "\(text)")
        }
        #expect(
            JSONDate.json(of: Date(timeIntervalSinceReferenceDate: 0.5))
                == .text("2001-01-01T00:00:00.500Z"))
        #expect(JSONDate.json(of: .distantPast) == .digits("-63114076800.0"))
        for text in [
            "", "Z", "2001-01-01T00:00:00", "2001-01-01T00:00:00.Z", "2001-13-01T00:00:00Z",
            "2001-01-01T00:00:00.1.2Z", "2001-01-01T00:00:00.-1Z",
        ] {
            #expect(JSONDate.date(of: text) == nil, "\(text)")
        }
    }
}
