import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

/// A view in a film has no more than the log of that moment: else a cut would make a store that no power cut
/// leaves.
struct FilmedFilesTests {
    @Test func aViewIsFilmedAfterTheCommitThatItHas() throws {
        let directory = ScratchDirectory()
        let path = directory.file("Book")
        try put(1, in: path)
        let interrupted = InterruptedFiles()
        let films = FilmedFiles(root: directory.path, interrupted)
        interrupted.interruption = {
            films.note("commit")
            #expect(throws: Never.self) { try put(2, in: path) }
        }
        try films.look()
        let recording = films.recording()
        #expect(recording.events == [.note("commit")])
        #expect(Array(recording.images.keys) == [1])
        guard case .path(path, let content)? = recording.images[1]?.first else {
            Issue.record("\(recording.images)")
            return
        }
        #expect(Array(content.bytes) == [2])
    }

    private func put(_ byte: UInt8, in path: String) throws {
        let files = SystemFiles()
        let file = try files.open(path, for: .creating)
        try withUnsafeBytes(of: byte) { bytes in try files.write(bytes, to: file, at: 0) }
    }
}
