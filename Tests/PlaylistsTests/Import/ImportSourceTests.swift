import Foundation
import Testing

@testable import playlists

struct ImportSourceTests {
    private func problem(path: String) -> ImportError.Problem? {
        do throws(ImportError) {
            _ = try LibraryImporter.read(path: path)
            return nil
        } catch {
            return error.line == nil ? error.problem : nil
        }
    }

    private func withFile(
        _ name: String, _ bytes: [UInt8], _ body: (String) throws -> Void
    ) throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("playlists-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        try body(file.path)
    }

    @Test func aMissingFileADirectoryAndADeviceAreToldApart() {
        #expect(problem(path: "/no/such/Library.xml") == .noSuchFile)
        #expect(problem(path: FileManager.default.temporaryDirectory.path) == .directory)
        #expect(problem(path: "/dev/null") == .notAFile)
    }

    @Test(arguments: ["Library.xml", "a.m3u", "a.m3u8", "a.csv", "a"])
    func anEmptyFileIsSaidToBeEmpty(_ name: String) throws {
        try withFile(name, []) { #expect(problem(path: $0) == .empty) }
    }

    @Test func aFileOfUnknownKindIsRefused() throws {
        try withFile("song.mp3", [0x49, 0x44, 0x33]) {
            #expect(problem(path: $0) == .unknownFormat)
        }
    }

    @Test func theFirstBytesDecideWhereTheNameSaysNothing() throws {
        let list = "#EXTM3U\n#PLAYLIST:From a Pipe\n"
        #expect(try Fixtures.read(list, as: "list").playlists.first?.title == "From a Pipe")
        let library = Fixtures.propertyList("<dict><key>Tracks</key><dict/></dict>")
        #expect(try Fixtures.read(library, as: "library").playlists.isEmpty)
    }

    @Test func linesAreCountedForEveryLineEnd() throws {
        let source = try ImportSource(path: "/a", bytes: Array("a\r\nb\nc\rd".utf8))
        let lines = [0, 3, 5, 7].map { source.error(.empty, at: $0).line }
        #expect(lines == [1, 2, 3, 4])
    }

    @Test func messagesNameFileAndLineAndWhatToDo() {
        let error = ImportError(
            path: "/music/a.csv", line: 12, problem: .fieldCount(expected: 5, found: 4))
        #expect(
            "\(error)"
                == "/music/a.csv, line 12: This line has 4 fields, "
                + "but the first line names 5 columns.")
    }
}
