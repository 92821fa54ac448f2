import Foundation
import Testing

@testable import playlists

struct ImportSourceTests {
    private func problem(path: String) -> ImportError.Problem? {
        do throws(ImportError) {
            _ = try AppleLibraryImporter.read(ImportSource(path: path))
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

    @Test(arguments: ["Library.xml", "a"])
    func anEmptyFileIsSaidToBeEmpty(_ name: String) throws {
        try withFile(name, []) { #expect(problem(path: $0) == .empty) }
    }
}
