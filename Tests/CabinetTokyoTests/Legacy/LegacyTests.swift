import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A directory that BNRPersistence itself wrote, and what is in it.
struct LegacyTests {
    let directory = ScratchDirectory(inMemory: false)
    var path: String { directory.file("Legacy") }

    init() throws {
        try LegacyFixture.copy(to: path)
    }

    private struct Content: Decodable {
        struct Song: Decodable {
            var row: RowID
            var title: String
            var seconds: UInt32
        }
        struct Playlist: Decodable {
            var row: RowID
            var title: String
        }
        var songs: [Song]
        var playlists: [Playlist]
    }

    private func content() throws -> Content {
        try JSONDecoder().decode(Content.self, from: LegacyFixture.content())
    }

    private func bytes() throws -> [String: Data] {
        var all: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            all[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return all
    }

    private func check(_ backend: TokyoBackend, extra: Int = 0) throws {
        let content = try content()
        let tables = try backend.tables()
        #expect(tables.map(\.name) == ["Person", "Playlist", "Song"])
        // Records carry their own versions; the one of the class was left at 1.
        #expect(tables.map(\.classVersion) == [1, 1, 1])
        #expect(tables.map(\.classNumber) == [2, 1, 0])
        let song = try #require(tables.last).number
        #expect(try backend.count(of: song) == content.songs.count + extra)
        let buffer = DataBuffer()
        for expected in content.songs {
            #expect(try backend.value(of: expected.row, in: song, into: buffer))
            #expect(try buffer.readUInt8() == 3)
            #expect(try buffer.readString() == expected.title)
            #expect(try buffer.readUInt32() == expected.seconds)
        }
        #expect(try backend.text(at: 1, in: song) == nil)
        #expect(try Set(backend.rows(in: song).keys).isSuperset(of: content.songs.map(\.row)))
        #expect(try backend.rows(in: song)[1] == nil)
        #expect(try backend.keys(in: .namedBuffers).sorted() == ["Favorite", "Top Four"])
    }

    @Test func readingChangesNothing() throws {
        let before = try bytes()
        let backend = try TokyoBackend(path: path)
        try check(backend)
        #expect(throws: BackendError.self) { _ = try TokyoBackend(path: path) }
        try backend.close()
        let reader = try TokyoBackend(path: path, access: .readOnly)
        try check(reader)
        try reader.close()
        #expect(try bytes() == before)
    }

    @Test func theFirstSaveMakesItOurs() throws {
        let backend = try TokyoBackend(path: path)
        let row = try backend.reserveRows(1, in: 4).lowerBound
        #expect(row == 63)
        #expect(try backend.put("new", at: row, in: 4) == 2)
        try check(backend, extra: 1)
        let copy = directory.file("Killed")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try backend.close()
        for place in [path, copy] {
            let again = try TokyoBackend(path: place)
            try check(again, extra: 1)
            #expect(try again.text(at: 63, in: 4) == "new")
            #expect(try again.reserveRows(1, in: 4).lowerBound == 64)
            try again.close()
        }
    }

    @Test func theMetadataRecordIsKeptCurrent() throws {
        let backend = try TokyoBackend(path: path)
        var song = try #require(try backend.tables().last)
        song.classVersion = 4
        let batch = backend.makeBatch()
        try batch.define(song)
        try batch.put("new", at: 70, in: song.number)
        try backend.commit(batch)
        try backend.close()
        let file = try #require(try HashFile(reading: path + "/Song", files: SystemFiles()))
        let key: [UInt8] = [1, 0, 0, 0]
        let metadata = key.withUnsafeBytes { key -> LegacyMetadata? in
            guard case .value(let bytes) = file.image.find(key) else { return nil }
            return LegacyMetadata(bytes)
        }
        #expect(metadata?.lastRow == 70)
        #expect(metadata?.version == 4)
    }

    @Test func anAdoptionThatFailsLeavesTheAncestorsDirectory() throws {
        let before = try bytes()
        var index = 0
        while true {
            let limit = index
            let files = FaultyFiles()
            let backend = try TokyoBackend(path: path, files: files)
            files.replacePlan { number, _, _ in number == limit ? .error(5) : nil }
            let failed = (try? backend.put("new", at: 63, in: 4)) == nil
            files.replacePlan(nil)
            let isAdopted = FileManager.default.fileExists(atPath: path + "/Journal")
            if !isAdopted { #expect(failed) }
            try? backend.close()
            if isAdopted { break }
            var after = try bytes()
            after["Journal.new"] = nil
            #expect(after == before)
            index += 1
        }
        #expect(index > 10)
        let again = try TokyoBackend(path: path)
        #expect(try again.count(of: 4) >= 60)
    }
}
