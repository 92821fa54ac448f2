import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import FuzzTargets

struct CorpusTests {
    private static func folder(_ target: FuzzTarget) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("FuzzCorpus/\(target.rawValue)")
    }

    /// What fuzzing found, or was begun with, once more: a file each, named by anything.
    @Test(arguments: FuzzTarget.allCases)
    func everyFileOfTheCorpusIsSurvived(_ target: FuzzTarget) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.folder(target), includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            // A copy of exact size, so that a byte read too many lies outside.
            let bytes = [UInt8](try Data(contentsOf: file))
            bytes.withUnsafeBytes { target.run($0) }
        }
    }

    /// `Fuzzer seeds Tests/FuzzCorpus` makes them so.
    @Test(arguments: FuzzTarget.allCases)
    func theCorpusHoldsTheSeeds(_ target: FuzzTarget) throws {
        for seed in target.seeds {
            let file = Self.folder(target).appendingPathComponent(seed.name)
            #expect([UInt8](try Data(contentsOf: file)) == seed.bytes, "\(seed.name)")
        }
    }

    /// A link out of a bucket that is empty, or out of a record that none follows, was missed:
    /// every record is found without it, and a search for one that is not there goes astray.
    @Test func noFlippedLinkOfAHashFileIsMissed() throws {
        for seed in HashImageSeeds.all {
            let linkSize = seed.name == "large" ? 8 : 4
            var places = Array(256..<256 + 3 * linkSize)
            try seed.bytes.withUnsafeBytes { bytes in
                let base = try #require(bytes.baseAddress)
                let image = try #require(HashImage(base: base, size: UInt64(bytes.count)))
                var offset = image.firstRecord
                while let block = image.block(at: offset) {
                    switch block {
                    case .free(let next): offset = next
                    case .record(let record):
                        places += Int(offset)..<Int(offset) + 2 + 2 * linkSize
                        offset = record.next
                    }
                }
            }
            for place in places {
                var bytes = seed.bytes
                bytes[place] ^= 1 << UInt8(place % 8)
                bytes.withUnsafeBytes { bytes in
                    let image = bytes.baseAddress.flatMap {
                        HashImage(base: $0, size: UInt64(bytes.count))
                    }
                    #expect(image?.firstDamage(.bare) != nil, "\(seed.name) \(place)")
                }
            }
        }
    }

    /// Seeds that a reader refuses at once would begin nothing.
    @Test func hashFileSeedsHoldWhatWasPutIn() throws {
        for seed in HashImageSeeds.all where seed.name != "empty" {
            try seed.bytes.withUnsafeBytes { bytes in
                let base = try #require(bytes.baseAddress)
                let image = try #require(HashImage(base: base, size: UInt64(bytes.count)))
                #expect(image.recordCount == 9)
                #expect(image.firstDamage(.bare) == nil, "\(seed.name)")
                for row in 2...9 {
                    Array("\(row)".utf8).withUnsafeBytes { key in
                        guard case .value(let value) = image.find(key) else {
                            Issue.record("\(row) is missing in \(seed.name)")
                            return
                        }
                        #expect(Array(value.dropLast(4)) == Array("value \(row * row)".utf8))
                    }
                }
            }
        }
    }

    @Test func runSeedsHoldWhatWasPutIn() throws {
        for (seed, count) in zip(RunSeeds.all, [0, 1, 70, 60]) {
            let files = MemoryFiles(seed.bytes)
            let run = try #require(
                try Run(
                    files: files, path: seed.name, identity: RunIdentity(store: 77, table: 5)))
            try run.verify()
            let cursor = try run.cursor()
            try cursor.seek(nil)
            for entry in RunSeeds.entries(count) {
                #expect(cursor.isAtEntry && Array(cursor.key) == entry.key)
                #expect(Array(cursor.value) == entry.value && cursor.weight == entry.weight)
                try cursor.next()
            }
            #expect(!cursor.isAtEntry)
            withExtendedLifetime(files) {}
        }
    }

    /// Every flipped bit is found by a sum, and, with the sums made right, survived.
    @Test func noFlippedBitOfARunIsMissed() throws {
        for seed in RunSeeds.all {
            for place in 0..<seed.bytes.count {
                var bytes = seed.bytes
                bytes[place] ^= 1 << UInt8(place % 8)
                bytes.withUnsafeBytes { FuzzTarget.sortedRun.run($0) }
                let files = MemoryFiles(bytes)
                #expect(throws: BackendError.self, "\(seed.name) \(place)") {
                    let run = try Run(
                        files: files, path: "run", identity: RunIdentity(store: 77, table: 5))
                    try run?.verify()
                }
                withExtendedLifetime(files) {}
            }
        }
    }
}
