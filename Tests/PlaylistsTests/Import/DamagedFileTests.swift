import Foundation
import Testing
import TrustSupport

@testable import playlists

/// Files that are missing, cut or damaged: every one is read or refused, none brings the program
/// down.
struct DamagedFileTests {
    private func problem(path: String) -> ImportError.Problem? {
        do throws(ImportError) {
            _ = try AppleLibraryImporter.read(ImportSource(path: path))
            return nil
        } catch {
            return error.line == nil ? error.problem : nil
        }
    }

    @Test func whatIsNoFileIsToldApart() throws {
        #expect(problem(path: "/no/such/Library.xml") == .noSuchFile)
        #expect(problem(path: FileManager.default.temporaryDirectory.path) == .notAFile)
        #expect(problem(path: "/dev/null") == .notAFile)
        try Place.temporary { place in
            let file = place.directory.appending(path: "Library.xml")
            try Data().write(to: file)
            #expect(problem(path: file.path) == .empty)
        }
    }

    @Test func everyTruncationIsAnErrorAndNeverACrash() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: Fixtures.path("Library.xml"))))
        let end = bytes.count - "</plist>\n".utf8.count
        for length in stride(from: 0, through: end, by: 7) {
            #expect(Fixtures.error(of: Array(bytes[..<length])) != nil)
        }
    }

    @Test func aDamagedFileIsReadOrRefused() throws {
        let whole = [UInt8](try Data(contentsOf: URL(filePath: Fixtures.path("Library.xml"))))
        var random = SeededRandom(seed: 20)
        var read = 0
        for _ in 0..<4000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[place], at: place)
                }
            }
            if let error = Fixtures.error(of: bytes) {
                #expect("\(error)".hasPrefix("/a.xml"))
            } else {
                read += 1
            }
        }
        #expect(read > 0 && read < 4000)
    }
}
