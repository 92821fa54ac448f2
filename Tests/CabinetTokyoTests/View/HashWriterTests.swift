import CTokyoCabinet
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A file that we write must be the file that the library would have written.
struct HashWriterTests {
    let directory = ScratchDirectory()
    let files = SystemFiles()

    /// What one table gets, as chunks of operations.
    private struct Workload {
        var random: UInt64

        private mutating func next(_ limit: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % limit
        }

        /// - Parameter keys: of how many different rows and keys.
        mutating func chunk(_ count: Int, keys: Int, deletes: Bool) throws -> [UInt8] {
            let batch = WriteBatch()
            for _ in 0..<count {
                let row = RowID(UInt32(2 + next(keys)))
                let length = [row.rawValue.nonzeroBitCount * 7, 40, 40, next(300), 20_000][
                    next(100) == 0 ? 4 : next(4)]
                let text = String(repeating: "\(next(10))", count: length)
                switch next(deletes ? 6 : 4) {
                case 0:
                    // Keys that are empty, long, and too long for a length of one byte.
                    let key = String(repeating: "k", count: [0, 1, 126, 127, 128, 200][next(6)])
                    try batch.put(text, forKey: key, in: 1)
                case 4: try batch.deleteRow(row, in: 2)
                case 5: try batch.delete(key: "k", in: 1)
                default: try batch.put(text, at: row, in: 2)
                }
            }
            return Array(batch.chunk()[WriteBatch.headroom...])
        }
    }

    /// - Parameter power: the alignment of files that the library makes; `nil` for files as ours are made.
    private func makeTables(
        _ name: String, _ sizing: HashSizing, power: Int8? = nil
    ) throws -> [Table] {
        try [TableDefinition.builtIn[1], .song].map { definition in
            let path = directory.file("\(name)-\(definition.number)")
            let file: HashFile
            if let power {
                let library = try #require(tchdbnew())
                defer { tchdbdel(library) }
                tchdbtune(library, sizing.buckets, power, -1, 0)
                #expect(tchdbopen(library, path, Int32(HDBOWRITER | HDBOCREAT)))
                #expect(tchdbclose(library))
                file = try #require(try HashFile(reading: path, files: files))
                try file.beginWriting(room: 64 << 20)
                try file.reserve(upTo: 64 << 20)
            } else {
                file = try HashFile(making: path, sizing, room: 64 << 20, files: files)
            }
            return Table(
                CatalogEntry(definition), files, lastCommit: 0, highestRow: 0, view: .hash(file))
        }
    }

    /// What the library makes of the operations.
    private func applyByLibrary(_ operations: [UInt8], to tables: [Table]) throws {
        let handles = try tables.map { try #require(try $0.hash().writer) }
        operations.withUnsafeBytes { bytes in
            var reader = OperationReader(bytes)
            while let operation = reader.next() {
                switch operation {
                case .putRow(_, let row, let stored):
                    let key = "\(row)"
                    #expect(
                        tchdbput(
                            handles[1], key, Int32(key.utf8.count), stored.baseAddress,
                            Int32(stored.count)))
                case .deleteRow(_, let row):
                    let key = "\(row)"
                    tchdbout(handles[1], key, Int32(key.utf8.count))
                case .putKey(_, let key, let stored):
                    #expect(
                        tchdbput(
                            handles[0], key.baseAddress ?? Nowhere.address, Int32(key.count),
                            stored.baseAddress, Int32(stored.count)))
                case .deleteKey(_, let key):
                    tchdbout(handles[0], key.baseAddress ?? Nowhere.address, Int32(key.count))
                case .define, .drop, .note, .unknown: break
                }
            }
        }
    }

    private func content(of tables: [Table]) throws -> [[UInt8]] {
        try tables.map { table in
            let file = try table.hash()
            file.noteGrowth()
            #expect(file.image.firstDamage(.summed) == nil)
            try file.endWriting()
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
        }
    }

    /// Few buckets make deep trees; deletions make free blocks, which the library fills.
    @Test(arguments: [
        (UInt64(1), Int64(50), false), (2, 4093, false), (3, 4093, true), (4, 1, true),
        (5, 50, true),
    ])
    func theFileIsTheOneThatTheLibraryWrites(
        _ seed: UInt64, _ buckets: Int64, _ deletes: Bool
    ) throws {
        var sizing = HashSizing(count: 100, bytes: 0)
        sizing.buckets = buckets
        let ours = try makeTables("ours", sizing)
        let theirs = try makeTables("theirs", sizing)
        var applier = Applier(highest: 2)
        for table in ours { applier.add(table) }
        var workload = Workload(random: seed)
        for round in 0..<6 {
            let chunk = try workload.chunk(1500, keys: 3000, deletes: deletes && round > 1)
            chunk.withUnsafeBytes { applier.apply($0) }
            try applyByLibrary(chunk, to: theirs)
        }
        #expect(applier.failed.isEmpty)
        #expect(try ours.map { try $0.count() } == theirs.map { try $0.count() })
        #expect(try content(of: ours) == content(of: theirs))
    }

    /// Files of earlier programs are aligned to 16 bytes.
    @Test(arguments: [0, 1, 2, 3, 4, 7] as [Int8], [false, true])
    func aFileOfAnyAlignmentIsTheOneThatTheLibraryWrites(
        _ power: Int8, _ deletes: Bool
    ) throws {
        var sizing = HashSizing(count: 100, bytes: 0)
        sizing.buckets = 50
        let ours = try makeTables("ours", sizing, power: power)
        let theirs = try makeTables("theirs", sizing, power: power)
        for table in ours {
            #expect(try table.hash().image.alignmentPower == UInt64(power))
        }
        var applier = Applier(highest: 2)
        for table in ours { applier.add(table) }
        var workload = Workload(random: UInt64(power) + 100)
        for round in 0..<4 {
            let chunk = try workload.chunk(800, keys: 1000, deletes: deletes && round > 0)
            chunk.withUnsafeBytes { applier.apply($0) }
            try applyByLibrary(chunk, to: theirs)
        }
        #expect(applier.failed.isEmpty)
        #expect(try content(of: ours) == content(of: theirs))
        // Laid out anew, a file is as new ones are.
        let file = try ours[1].hash()
        let again = try file.laidOut(as: sizing, at: directory.file("copy"), .summed)
        #expect(again.image.alignmentPower == UInt64(HashSizing.alignmentPower))
        #expect(again.image.firstDamage(.summed) == nil)
    }

    @Test func onlyTheLibraryWritesFilesOfOtherKinds() throws {
        var sizing = HashSizing(count: 100, bytes: 0)
        sizing.isLarge = true
        let path = directory.file("large")
        let file = try HashFile(making: path, sizing, room: 1 << 20, files: files)
        let handle = try #require(file.writer)
        #expect(HashWriter(handle, file.image) == nil)
    }

    /// The library extends a file that has no room; a store to a page beyond its end would kill.
    @Test func aRecordForWhichThereIsNoRoomIsLeftToTheLibrary() throws {
        let sizing = HashSizing(count: 10, bytes: 0)
        let file = try HashFile(making: directory.file("full"), sizing, room: 0, files: files)
        let handle = try #require(file.writer)
        let writer = try #require(HashWriter(handle, file.image))
        let value = [UInt8](repeating: 1, count: 1000)
        var puts = 0
        var isRefused = false
        while !isRefused, puts < 100_000 {
            Array("\(puts)".utf8).withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    isRefused = !writer.put(key, value, at: writer.location(of: key))
                }
            }
            if !isRefused { puts += 1 }
        }
        #expect(isRefused)
        #expect(handle.pointee.fsiz <= handle.pointee.xfsiz)
        // Not within the macro, which would free the key's text before the call.
        let isPut = tchdbput(handle, "more", 4, value, Int32(value.count))
        #expect(isPut)
        #expect(tchdbrnum(handle) == UInt64(puts + 1))
    }
}
