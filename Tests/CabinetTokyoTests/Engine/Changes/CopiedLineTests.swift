import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Whatever has the commits of another store begins a line with its next commit.
struct CopiedLineTests {
    let scene = LineScene()

    @Test(arguments: [Durability.full, .process], [true, false])
    func aCopiedDirectoryBeginsALine(_ durability: Durability, _ isClosed: Bool) throws {
        var original = try scene.make(durability)
        let shared = try original.position()
        if isClosed { try original.close() }
        try scene.copyAside()
        if isClosed { original = try TokyoBackend(path: scene.path, durability: durability) }
        let own = try scene.save(original, 3)
        #expect(own.line == shared.line)

        // Reading begins none, and what was committed since is not there.
        let reader = try TokyoBackend(path: scene.copy, access: .readOnly)
        #expect(try reader.lines().map(\.number) == [shared.line])
        #expect(try scene.holds(shared, in: reader) && !scene.holds(own, in: reader))
        try reader.close()
        var copy = try TokyoBackend(path: scene.copy, durability: durability)
        #expect(copy.identity == original.identity)
        #expect(try copy.position() == shared)
        let other = try scene.save(copy, 3)
        #expect(other.commit == own.commit && other.line != own.line)
        #expect(
            try copy.lines()
                == original.lines() + [CommitLine(number: other.line, first: other.commit)])
        for _ in 0..<2 {
            #expect(try scene.holds(shared, in: copy) && scene.holds(other, in: copy))
            #expect(try !scene.holds(own, in: copy) && !scene.holds(other, in: original))
            // In its own place now: the line goes on.
            try copy.close()
            copy = try TokyoBackend(path: scene.copy, durability: durability)
            #expect(try scene.save(copy, 4).line == other.line)
        }
        #expect(try scene.save(original, 4).line == own.line)
        try original.close()
        try copy.close()
    }

    /// A copy that is put where the original was, file by file.
    @Test(arguments: [true, false])
    func filesThatAreCopiedIntoTheirDirectoryBeginALine(_ isClosed: Bool) throws {
        let original = try scene.make()
        let shared = try original.position()
        if isClosed { try original.close() }
        try scene.copyAside()
        if isClosed {
            let again = try TokyoBackend(path: scene.path)
            try scene.save(again, 3)
            try again.close()
        } else {
            try scene.save(original, 3)
            try original.close()
        }
        // The directories stay; a removed file's inode may come back with another file.
        let manager = FileManager.default
        for name in try DirectoryImage(scene.path).files.keys {
            try manager.removeItem(atPath: scene.path + "/" + name)
        }
        for name in try DirectoryImage(scene.copy).files.keys {
            try manager.copyItem(
                atPath: scene.copy + "/" + name, toPath: scene.path + "/" + name)
        }
        let restored = try TokyoBackend(path: scene.path)
        #expect(try scene.holds(shared, in: restored))
        let other = try scene.save(restored, 3)
        #expect(other.line != shared.line && other.commit == shared.commit.next)
        #expect(
            try !scene.holds(
                ChangePosition(line: shared.line, commit: other.commit), in: restored))
        try restored.close()
    }

    @Test func aMovedDirectoryGoesOnWithItsLine() throws {
        let backend = try scene.make()
        let kept = try backend.position()
        try backend.close()
        try FileManager.default.moveItem(atPath: scene.path, toPath: scene.copy)
        let moved = try TokyoBackend(path: scene.copy)
        #expect(try scene.holds(kept, in: moved))
        #expect(try scene.save(moved, 3).line == kept.line)
        try moved.close()
    }

    @Test func aBackupBeginsALineAndItsOriginalGoesOn() async throws {
        let backend = try scene.make()
        let shared = try backend.position()
        try await backend.backup(to: scene.copy)
        try await backend.backup(to: scene.directory.file("Second"))
        let own = try scene.save(backend, 3)
        #expect(own.line == shared.line)
        var seen: Set<UInt64> = [own.line]
        for path in [scene.copy, scene.directory.file("Second")] {
            var copy = try TokyoBackend(path: path, access: .readOnly)
            #expect(try copy.position() == shared)
            try copy.close()
            copy = try TokyoBackend(path: path)
            let other = try scene.save(copy, 3)
            #expect(seen.insert(other.line).inserted)
            #expect(try !scene.holds(own, in: copy) && scene.holds(shared, in: copy))
            try copy.close()
        }
        try await backend.compact()
        #expect(try scene.save(backend, 4).line == own.line)
        try backend.close()
    }

    @Test func aSalvagedStoreHasItsOwnLine() async throws {
        let backend = try scene.make()
        let kept = try backend.position()
        try backend.close()
        _ = try await TokyoBackend.salvage(from: scene.path, into: scene.copy)
        let saved = try TokyoBackend(path: scene.copy)
        #expect(try saved.lines().count == 1 && saved.position().line != kept.line)
        #expect(try !scene.holds(kept, in: saved))
        try saved.close()
    }

    @Test func aFollowerSeesTheLinesOfItsWriter() throws {
        let original = try scene.make()
        try original.close()
        try scene.copyAside()
        let writer = try TokyoBackend(path: scene.copy)
        let follower = try TokyoBackend(path: scene.copy, files: SystemFiles(), follows: true)
        let before = try follower.position()
        #expect(try before == writer.position())
        let other = try scene.save(writer, 3)
        // At .full a commit is final once something that was written later says so.
        try scene.save(writer, 4)
        try follower.refresh()
        #expect(try follower.lines() == writer.lines())
        #expect(try follower.lines().map(\.number) == [before.line, other.line])
        #expect(try follower.changes(after: before).next()?.number == other.commit)
        try follower.close()
        try writer.close()
    }
}
