import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Segments that a snapshot has replaced stay for the names that need their commits.
struct KeptChangesTests: ChangesScene {
    let directory = ScratchDirectory(inMemory: true)

    private func segments() throws -> [UInt64] {
        try SystemFiles().list(path + "/Journal").compactMap {
            StorePaths.number(in: $0, after: "log-")
        }.sorted()
    }

    private func numbers(
        _ backend: TokyoBackend, after position: ChangePosition
    ) throws -> [CommitNumber] {
        var found: [CommitNumber] = []
        let cursor = try backend.changes(after: position)
        while let commit = try cursor.next() { found.append(commit.number) }
        return found
    }

    private func roll(_ backend: TokyoBackend) throws {
        try backend.commitLog.roll(tables: backend.tableStates)
    }

    /// Commits 1 to 9 in segments 1 to 4, of which commit 5 keeps what comes after commit 4.
    private func startKeeping(
        limit: UInt64 = .max
    ) throws -> (backend: TokyoBackend, position: ChangePosition) {
        let backend = try start()
        try save(2...2, backend)
        try roll(backend)
        try save(3...4, backend)
        let position = try backend.position()
        try backend.keepChanges(after: position, for: "worker", limit: limit)
        try roll(backend)
        try save(6...7, backend)
        try roll(backend)
        try save(8...9, backend)
        return (backend, position)
    }

    @Test(arguments: [true, false])
    func stayThroughCompactionsAndOpenings(_ isClosed: Bool) async throws {
        var (backend, position) = try startKeeping()
        #expect(try backend.lastCommit() == 9)
        try await backend.compact()
        // Segment 1 ends with commit 2.
        #expect(try segments() == [2, 3, 4, 5])
        try save(10...10, backend)
        try await backend.compact()
        #expect(try segments() == [2, 3, 4, 5, 6])
        let made = Array(5...10 as ClosedRange<CommitNumber>)
        #expect(try numbers(backend, after: position) == made)
        #expect(throws: BackendError.changesGone(oldest: 2)) { try backend.changes(after: 1) }
        let report = try await backend.storageReport()
        #expect(report.segments == 1 && report.keptLogBytes > report.logBytes)
        let follower = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
        #expect(try numbers(follower, after: position) == made)
        try follower.close()
        if isClosed {
            try backend.close()
        } else {
            try FileManager.default.copyItem(atPath: path, toPath: directory.file("Left"))
            try backend.close()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: directory.file("Left"), toPath: path)
        }
        for access in [Access.readOnly, .readWrite] {
            backend = try TokyoBackend(path: path, access: access)
            #expect(try numbers(backend, after: position) == made)
            #expect(try backend.rows(in: 2).count == 8)
            if access == .readOnly { try backend.close() }
        }
        try save(11...11, backend)
        #expect(try numbers(backend, after: position) == made + [11])

        // A position that has moved, and then a name that was let go of, need less.
        let moved = KeptChanges(
            name: "worker", position: try backend.position(of: 8), limit: .max)
        let batch = backend.makeBatch()
        try batch.keepChanges(moved)
        try backend.commit(batch)
        try await backend.compact()
        #expect(try segments().first == 4)
        #expect(try numbers(backend, after: moved.position).first == 9)
        try backend.letGoOfChanges(for: "worker")
        try await backend.compact()
        #expect(try segments().count == 1)
        try backend.close()
    }

    @Test func goBeyondTheLimitWithTheNextCompaction() throws {
        let (backend, position) = try startKeeping(limit: 20_000)
        try backend.compact()
        #expect(try segments().first == 2)
        _ = try backend.put(String(repeating: "x", count: 30_000), at: 20, in: 2)
        #expect(try numbers(backend, after: position).count == 6)
        try backend.compact()
        #expect(try segments().count == 1)
        let last = try backend.lastCommit()
        #expect(throws: BackendError.changesGone(oldest: last)) {
            try backend.changes(after: position)
        }
        // What is gone keeps nothing more.
        try save(21...22, backend)
        try backend.compact()
        #expect(try segments().count == 1)
        #expect(try backend.keptChanges().map(\.position) == [position])
        try backend.close()
    }

    @Test func ofAPositionThatDoesNotHoldKeepNothing() throws {
        let (backend, position) = try startKeeping()
        for kept in [
            ChangePosition(line: position.line &+ 1, commit: 3),
            ChangePosition(line: position.line, commit: 90),
        ] {
            let batch = backend.makeBatch()
            try batch.keepChanges(KeptChanges(name: "worker", position: kept, limit: .max))
            try backend.commit(batch)
            try roll(backend)
        }
        try backend.compact()
        #expect(try segments().count == 1)
        try backend.close()
    }

    /// A kill between the new snapshot and the end of the old log leaves segments that nothing needs.
    @Test(arguments: [true, false])
    func leftByAKillGoWithTheNextOpening(_ isNamed: Bool) throws {
        let (backend, position) = try startKeeping()
        if !isNamed { try backend.letGoOfChanges(for: "worker") }
        let image = try DirectoryImage(path)
        try backend.compact()
        try backend.close()
        for (name, bytes) in image.files where name.hasPrefix("Journal/log-") {
            let file = path + "/" + name
            guard !FileManager.default.fileExists(atPath: file) else { continue }
            try bytes.write(to: URL(fileURLWithPath: file))
        }
        let again = try TokyoBackend(path: path)
        #expect(try segments().first == (isNamed ? 2 : 5))
        if isNamed { #expect(try numbers(again, after: position).count == 5) }
        #expect(try again.rows(in: 2).count == 7)
        try again.close()
    }

    @Test(arguments: [true, false])
    func thatAreLostOrDamagedAreGoneForReadersAlone(_ isLost: Bool) async throws {
        let (backend, position) = try startKeeping()
        try await backend.compact()
        try backend.close()
        let file = URL(fileURLWithPath: path + "/Journal/log-0000000000000003")
        if isLost {
            try FileManager.default.removeItem(at: file)
        } else {
            var bytes = try Data(contentsOf: file)
            bytes[20] ^= 1
            try bytes.write(to: file)
        }
        let again = try TokyoBackend(path: path)
        #expect(throws: BackendError.changesGone(oldest: 9)) {
            try again.changes(after: position)
        }
        #expect(try again.rows(in: 2).count == 7)
        #expect(try await again.check().isSound)
        try again.close()
    }

    /// A walk may be the last that holds a segment; a name that comes then cannot have it.
    @Test func areNotThoseThatAWalkAloneHolds() throws {
        let backend = try start()
        try save(2...5, backend)
        let position = try backend.position(of: 3)
        var walk: LogChanges? = try backend.logChanges(after: 1)
        try backend.compact()
        #expect(throws: BackendError.changesGone(oldest: 5)) {
            try backend.keepChanges(after: position, for: "worker", limit: .max)
        }
        #expect(try backend.keptChanges() == [])
        #expect(try tellAll(try #require(walk)) == told(2...5))
        walk = nil
        #expect(try segments().count == 1)
        try backend.close()
    }

    @Test func areNamedInNoBackupOrSalvage() async throws {
        let (backend, position) = try startKeeping()
        try await backend.compact()
        try await backend.backup(to: directory.file("Backup"))
        try backend.close()
        let copy = try TokyoBackend(path: directory.file("Backup"))
        #expect(throws: BackendError.self) { try copy.changes(after: position) }
        try copy.close()
        _ = try await TokyoBackend.salvage(from: path, into: directory.file("Saved"))
        let saved = try TokyoBackend(path: directory.file("Saved"))
        #expect(try saved.keptChanges() == [])
        #expect(try saved.rows(in: 2).count == 7)
        try saved.close()
    }

    @Test func workIsClaimedByThoseWhoMayWrite() throws {
        let backend = try start()
        let claim = try #require(try backend.claimWork("worker"))
        #expect(try backend.claimWork("worker") == nil)
        try backend.close()
        let again = try TokyoBackend(path: path)
        #expect(try again.claimWork("worker") != nil)
        try again.close()
        let reader = try TokyoBackend(path: path, access: .readOnly)
        #expect(throws: BackendError.readOnly(path: path)) { try reader.claimWork("worker") }
        try reader.close()
        withExtendedLifetime(claim) {}
    }
}
