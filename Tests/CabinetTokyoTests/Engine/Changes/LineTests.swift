import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// When a store begins a line by itself, and when it does not.
struct LineTests {
    let scene = LineScene()

    @Test func aRestartedMachineWithOtherDeviceNumbersGoesOnWithTheLine() throws {
        let backend = try scene.make(.process)
        let kept = try backend.position()
        try backend.close()
        let again = try TokyoBackend(
            path: scene.path, durability: .process, files: RenumberedFiles())
        #expect(try scene.save(again, 3).line == kept.line)
        try again.close()
    }

    /// At `.full` no commit that was seen is lost; of `.process` only a running machine knows that.
    @Test(arguments: [Durability.full, .process], [true, false])
    func aStoreThatWasNotClosedBeginsALineIfCommitsMayBeLost(
        _ durability: Durability, _ isKill: Bool
    ) throws {
        let backend = try scene.make(durability)
        let kept = try backend.position()
        let image = try DirectoryImage(scene.path)
        try backend.close()
        try image.putBack()
        let files: any FileLayer = isKill ? SystemFiles() : RenumberedFiles()
        let again = try TokyoBackend(path: scene.path, durability: durability, files: files)
        #expect(try scene.holds(kept, in: again))
        let later = try scene.save(again, 3)
        #expect((later.line == kept.line) == (isKill || durability == .full))
        #expect(try scene.holds(kept, in: again))
        try again.close()
    }

    @Test(arguments: [true, false])
    func positionsOfLostCommitsAreRefused(_ closesBetween: Bool) throws {
        let backend = try scene.make(.process)
        let kept = try backend.position()
        let before = try DirectoryImage(scene.path)
        let lost = try scene.save(backend, 3)
        let after = try DirectoryImage(scene.path)
        try backend.close()
        // The power is cut before the last commit reaches the device.
        try after.with("Journal/log-0000000000000001", as: before).putBack()
        var again = try TokyoBackend(
            path: scene.path, durability: .process, files: RenumberedFiles())
        #expect(try again.position() == kept)
        #expect(try scene.holds(kept, in: again) && !scene.holds(lost, in: again))
        if closesBetween {
            // That a line is due is not forgotten.
            try again.close()
            again = try TokyoBackend(
                path: scene.path, durability: .process, files: RenumberedFiles())
            #expect(try again.lines().map(\.number) == [kept.line])
        }
        let other = try scene.save(again, 4)
        #expect(other.commit == lost.commit && other.line != lost.line)
        #expect(try !scene.holds(lost, in: again) && scene.holds(other, in: again))
        try again.close()
    }

    /// A power cut may take the frame that says how safe the session's commits are.
    @Test func aLostSessionMayHaveMadeCommits() throws {
        let first = try scene.make(.full)
        let kept = try first.position()
        try first.close()
        let before = try DirectoryImage(scene.path)
        let backend = try TokyoBackend(path: scene.path, durability: .process)
        let lost = try scene.save(backend, 3)
        let after = try DirectoryImage(scene.path)
        try backend.close()
        try after.with("Journal/log-0000000000000001", as: before).putBack()
        let again = try TokyoBackend(path: scene.path, files: RenumberedFiles())
        #expect(try again.position() == kept)
        let other = try scene.save(again, 4)
        #expect(other.commit == lost.commit && other.line != lost.line)
        #expect(try !scene.holds(lost, in: again))
        try again.close()
    }

    @Test func aLineThatCouldNotBeListedIsListedByTheNextCommit() throws {
        let backend = try scene.make()
        try backend.close()
        try scene.copyAside()
        let copy = try TokyoBackend(path: scene.copy)
        #expect(throws: BackendError.noTable(99)) { try copy.put("nowhere", at: 2, in: 99) }
        #expect(try copy.lines().count == 1)
        let line = try scene.save(copy, 3).line
        #expect(try copy.lines().map(\.number).last == line && copy.lines().count == 2)
        try copy.close()
    }

    /// The catalog's entry is as long as there are lines, and is read as it was written.
    @Test func theListOfLinesIsReadAsItWasWritten() {
        let lines = [CommitLine(number: 0x1122, first: 1), CommitLine(number: 3, first: 7)]
        let bytes = LineList.bytes(of: lines)
        #expect(
            bytes == [
                0x22, 0x11, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                3, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0,
            ])
        #expect(bytes.withUnsafeBytes { LineList.lines(from: $0) } == lines)
        let bad: [[UInt8]] = [
            Array(bytes.dropLast()), LineList.bytes(of: lines.reversed()),
            LineList.bytes(of: [CommitLine(number: 0, first: 1)]),
            LineList.bytes(of: [CommitLine(number: 1, first: 0)]),
        ]
        for bytes in bad { #expect(bytes.withUnsafeBytes { LineList.lines(from: $0) } == nil) }
    }

    @Test func anAdoptedDirectoryBeginsItsFirstLine() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/bnr-legacy").standardizedFileURL
        try FileManager.default.copyItem(atPath: folder.path, toPath: scene.path)
        let backend = try TokyoBackend(path: scene.path)
        #expect(try backend.lines() == [] && backend.position() == .start)
        let batch = backend.makeBatch()
        try batch.put("yes", forKey: "adopted", in: .namedBuffers)
        try backend.commit(batch)
        let lines = try backend.lines()
        #expect(lines.map(\.first) == [1])
        try backend.close()
        let again = try TokyoBackend(path: scene.path)
        let more = again.makeBatch()
        try more.put("still", forKey: "adopted", in: .namedBuffers)
        try again.commit(more)
        #expect(try again.lines() == lines)
        try again.close()
    }
}
