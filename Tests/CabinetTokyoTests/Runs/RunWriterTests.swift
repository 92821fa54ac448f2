import CabinetBackend
import Testing

@testable import CabinetTokyo

struct RunWriterTests {
    let directory = RunDirectory()
    let files = SystemFiles()
    let identity = RunIdentity(store: 0x0102_0304_0506_0708, table: 0x1112)

    private func entry(
        _ key: String, _ value: [UInt8]? = [], weight: Int = 1
    ) -> ModelEntry {
        ModelEntry(key: Array(key.utf8), value: value, weight: weight)
    }

    /// The blocks of a run of these entries.
    private func blocks(_ entries: [ModelEntry]) throws -> [UInt8] {
        let path = directory.file("run")
        try writeRun(RunModel(entries: entries), path, identity: identity)
        let run = try #require(try Run(files: files, path: path, identity: identity))
        return try files.readBytes(
            Int(run.footer.indexOffset) - 64, from: files.open(path, for: .reading), at: 64)
    }

    @Test func theHeaderIsAsDescribed() throws {
        let path = directory.file("run")
        try writeRun(
            RunModel(), path, identity: identity, span: CommitSpan(from: 3, to: 0x0405),
            number: 0x2122_2324_2526_2728)
        let bytes = try files.readBytes(64 + 40 + 96, from: files.open(path, for: .reading), at: 0)
        let parts: [[UInt8]] = [
            Array("CabnRun".utf8), [0], [1, 0, 0, 0], [0x12, 0x11, 0, 0],
            [8, 7, 6, 5, 4, 3, 2, 1], [3, 0, 0, 0, 0, 0, 0, 0], [5, 4, 0, 0, 0, 0, 0, 0],
            [0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21], [UInt8](repeating: 0, count: 12),
        ]
        #expect(Array(bytes[..<60]) == Array(parts.joined()))
        #expect(bytes[104..<112] == Array("CabRnEnd".utf8)[...])
    }

    @Test func aBlockIsAsDescribed() throws {
        let bytes = try blocks([
            entry("ab1"), entry("ab2", [7, 8], weight: 0), entry("ab34", nil, weight: -1),
            entry("b" + String(repeating: "x", count: 19)),
        ])
        let expected: [[UInt8]] = [
            // Three bytes, none shared: a put of weight 1.
            [0x03, 0], Array("ab1".utf8),
            // As long as the one before, one byte differs, a value of two: a put of weight 0.
            [0x71, 2], Array("2".utf8), [7, 8],
            // Two bytes behind two shared: a delete.
            [0x82, 2], Array("34".utf8),
            // 20 bytes, a number by itself, none shared.
            [0x0F, 20, 0], Array("bxxxxxxxxxxxxxxxxxxx".utf8),
            // No other group: nothing shared, none.
            [0, 0, 0, 0, 0, 0, 0, 0],
        ]
        #expect(Array(bytes.dropLast(4)) == Array(expected.joined()))
    }

    @Test func aGroupBeginsAtTheSeventeenthEntry() throws {
        let bytes = try blocks((0..<18).map { entry("key\(10 + $0)") })
        // First entry 7 bytes, nine others of 2 or, where the tens change, 3.
        let first = 2 + 5 + 9 * 2 + 3 + 5 * 2
        #expect(bytes[first..<first + 3] == [0x12, UInt8(ascii: "2"), UInt8(ascii: "6")])
        #expect(bytes[(first + 3)..<(first + 5)] == [0x11, UInt8(ascii: "7")])
        let trailer: [[UInt8]] = [
            // "26" behind "key", lowest byte first; offset; weight; three bytes shared; one group.
            [0, 0, UInt8(ascii: "6"), UInt8(ascii: "2")], [UInt8(first), 0, 16, 0],
            [3, 0, 0, 0], [1, 0, 0, 0],
        ]
        #expect(Array(bytes[(first + 5)...].dropLast(4)) == Array(trailer.joined()))
    }

    @Test func keysOutOfOrderAndImpossibleWeightsAreDamage() throws {
        let path = directory.file("run")
        let writer = try RunWriter(files: files, path: path, identity: identity)
        func refuses(_ entry: ModelEntry) -> Bool {
            do throws(BackendError) { try writer.append(entry) } catch {
                if case .corrupt(path, _) = error { return true }
            }
            return false
        }
        #expect(!refuses(entry("b")))
        for key in ["b", "a", "", "aaa"] { #expect(refuses(entry(key))) }
        for weight in [-1, 2, 3, -128, 127] { #expect(refuses(entry("c", weight: weight))) }
        for weight in [0, 1, 2, -2] { #expect(refuses(entry("c", nil, weight: weight))) }
        #expect(!refuses(entry("ba", nil, weight: -1)))
    }

    @Test func whatWasReservedIsGivenBack() throws {
        let path = directory.file("run")
        var random = ModelRandom(1)
        let keys = (0..<40_000).map { number in
            Array(String(number + 1_000_000).utf8) + (0..<60).map { _ in UInt8(random.below(256)) }
        }
        let model = RunModel(keys: keys, random: &random, longestValue: 0)
        let info = try writeRun(model, path, identity: identity)
        #expect(info.size > 2 << 20)
        #expect(try files.status(of: path)?.size == info.size)
        let run = try #require(try Run(files: files, path: path, identity: identity))
        try run.verify()
    }
}
