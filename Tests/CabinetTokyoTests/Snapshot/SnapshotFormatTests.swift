import CChecksum
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// The format against bytes put together by hand, from the tables in its documentation alone.
struct SnapshotFormatTests {
    let directory = ScratchDirectory(inMemory: false)
    let files = SystemFiles()

    private func word(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(value >> ($0 * 8) & 0xFF) }
    }
    private func half(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) }
    }
    private func sum(_ bytes: [UInt8]) -> UInt32 { cabinet_crc32c_table(0, bytes, bytes.count) }

    private func header(commitNumber: UInt64) -> [UInt8] {
        let bytes =
            Array("CabSnap".utf8) + [0x1A, 2, 0, 0, 0, 9, 0, 0, 0] + word(77) + word(commitNumber)
        return bytes + half(0) + half(sum(bytes + half(0)))
    }

    private func block(
        _ table: UInt8, flags: UInt8, count: UInt32, raw: Int, _ stored: [UInt8], at offset: Int,
        in file: UInt32
    ) -> [UInt8] {
        var bytes = Array("CBLK".utf8) + [table, 0, flags, 0] + half(count) + half(sum(stored))
        bytes += word(UInt64(raw)) + word(UInt64(stored.count))
        return bytes + half(sum(word(UInt64(file)) + word(UInt64(offset)) + bytes)) + stored
    }

    private func table(
        _ number: UInt8, kind: UInt8, classNumber: UInt8, version: UInt8, flags: UInt8 = 0,
        name: String,
        count: UInt64, bytes: Int, lastCommit: UInt64, highestRow: UInt32, firstBlock: Int
    ) -> [UInt8] {
        [number, 0, kind, classNumber, version, flags, UInt8(name.utf8.count)] + word(count)
            + word(UInt64(bytes)) + word(lastCommit) + half(highestRow) + word(UInt64(firstBlock))
            + Array(name.utf8)
    }

    private func end(_ footer: [UInt8], at offset: Int, in file: UInt32) -> [UInt8] {
        let bytes =
            Array("CabSnEnd".utf8) + word(UInt64(offset)) + word(UInt64(footer.count))
            + half(sum(footer))
        return footer + bytes + half(sum(word(UInt64(file)) + bytes))
    }

    private let songs = TableDefinition(
        number: 2, kind: .record, name: "Song", classNumber: 5, classVersion: 3)
    private let index = TableDefinition(number: 3, kind: .ordered, name: "Song.1", flags: .derived)
    private let lists = TableDefinition(
        number: 4, kind: .record, name: "Playlist", classNumber: 0)

    /// Two rows and a key, all too short to deflate, and a table with nothing in it.
    private func byHand() -> [UInt8] {
        var bytes = header(commitNumber: 21)
        let file = sum(Array(bytes.prefix(36)))
        let rows: [UInt8] =
            [2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3, 0xAA, 0xBB, 0xCC, 0xDD]
            + [0xEF, 0xBE, 0xAD, 0xDE, 5, 0, 0, 0] + lastRow
        bytes += block(2, flags: 0, count: 2, raw: 32, rows, at: 40, in: file)
        let keys: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0x61, 0x62, 9, 0x55, 0x66, 0x77, 0x88]
        bytes += block(3, flags: 2, count: 1, raw: 15, keys, at: 108, in: file)
        let footer =
            table(
                2, kind: 1, classNumber: 5, version: 3, name: "Song", count: 2, bytes: 32,
                lastCommit: 20, highestRow: 0xDEAD_BEF0, firstBlock: 40)
            + table(
                3, kind: 2, classNumber: 0, version: 0, flags: 1, name: "Song.1", count: 1,
                bytes: 15,
                lastCommit: 19, highestRow: 0, firstBlock: 108)
            + table(
                4, kind: 1, classNumber: 0, version: 0, name: "Playlist", count: 0, bytes: 0,
                lastCommit: 21, highestRow: 8, firstBlock: 0)
        return bytes + end(footer, at: 159, in: file)
    }

    private let rowTwo: [UInt8] = [1, 2, 3, 0xAA, 0xBB, 0xCC, 0xDD]
    private let lastRow: [UInt8] = [0x91, 0xA2, 0xB3, 0xC4, 0xD5, 0x11, 0x22, 0x33, 0x44]
    private let keyed: [UInt8] = [9, 0x55, 0x66, 0x77, 0x88]

    @Test func writingGivesTheBytesOfTheTables() throws {
        let path = directory.file("Snapshot")
        var writer = try SnapshotWriter(
            files: files, path: path, storeID: 77, commitNumber: 21, highestTable: 9)
        try writer.define(TableState(definition: songs, lastCommit: 20, highestRow: 0xDEAD_BEF0))
        try writer.define(TableState(definition: index, lastCommit: 19))
        try writer.define(TableState(definition: lists, lastCommit: 21, highestRow: 8))
        try rowTwo.withUnsafeBytes { try writer.append(.putRow(table: 2, row: 2, stored: $0)) }
        try lastRow.withUnsafeBytes {
            try writer.append(.putRow(table: 2, row: 0xDEAD_BEEF, stored: $0))
        }
        try keyed.withUnsafeBytes { stored throws in
            try Array("ab".utf8).withUnsafeBytes { key throws in
                try writer.append(.putKey(table: 3, key: key, stored: stored))
            }
        }
        try writer.finish()
        #expect(Array(try Data(contentsOf: URL(filePath: path))) == byHand())
    }

    @Test func readingUnderstandsTheBytesOfTheTables() throws {
        let path = directory.file("Snapshot")
        try Data(byHand()).write(to: URL(filePath: path))
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
        #expect(reader.commitNumber == 21)
        #expect(reader.highestTable == 9)
        #expect(reader.tables.map(\.state.definition) == [songs, index, lists])
        #expect(reader.tables.map(\.state.lastCommit) == [20, 19, 21])
        #expect(reader.tables.map(\.state.highestRow) == [0xDEAD_BEF0, 0, 8])
        #expect(reader.tables.map(\.count) == [2, 1, 0])
        let contents = try reader.contents()
        #expect(
            contents == [
                Stored(place: EntryKey(2, row: 2), bytes: rowTwo),
                Stored(place: EntryKey(2, row: 0xDEAD_BEEF), bytes: lastRow),
                Stored(place: EntryKey(3, key: [0x61, 0x62]), bytes: keyed),
            ])
        // The values' own checksums are made up.
        #expect(throws: BackendError.corrupt(path: path, offset: 40)) { try reader.verify() }
    }

    /// The deflated bytes were made by another program's zlib.
    @Test func deflatedBlocksAreRawDeflateStreams() throws {
        var bytes = header(commitNumber: 1)
        let file = sum(Array(bytes.prefix(36)))
        let deflated: [UInt8] = [99, 98, 96, 96, 112, 0, 98, 71, 10, 1, 35, 19, 51, 11, 0]
        bytes += block(2, flags: 1, count: 1, raw: 76, deflated, at: 40, in: file)
        let offset = bytes.count
        let footer = table(
            2, kind: 1, classNumber: 0, version: 0, name: "S", count: 1, bytes: 76, lastCommit: 1,
            highestRow: 2, firstBlock: 40)
        bytes += end(footer, at: offset, in: file)
        let path = directory.file("Snapshot")
        try Data(bytes).write(to: URL(filePath: path))
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
        let value = [UInt8](repeating: 65, count: 64) + [1, 2, 3, 4]
        #expect(try reader.contents() == [Stored(place: EntryKey(2, row: 2), bytes: value)])
    }
}
