import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Commits at ``Durability/full`` that come while another one waits for the disk share one sync.
struct GroupCommitTests {
    let directory = ScratchDirectory()
    let files = GatedSyncs()

    /// A store with a table of songs, row 2 of which is there, and an ordered one.
    private func open() throws -> TokyoBackend {
        let backend = try TokyoBackend(path: directory.file("store"), files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.define(.byTitle)
        try batch.put("first", at: 2, in: 2)
        try backend.commit(batch)
        // Reserves room in the files: a group does not.
        for row in 3..<6 as Range<RowID> { _ = try backend.put("more", at: row, in: 2) }
        return backend
    }

    /// Commits `first` and, while its sync goes on, the others: they wait together.
    private func commit(
        _ fills: [@Sendable (WriteBatch) throws -> Void], to backend: TokyoBackend
    ) -> [Int: Committers.Outcome] {
        let committers = Committers(backend)
        files.restart()
        files.shut()
        committers.start(0) { try $0.put("alone", at: 2, in: 2) }
        files.awaitSync()
        for (index, fill) in fills.enumerated() {
            committers.start(index + 1, fill)
            committers.awaitWaiters(index + 1)
        }
        files.open()
        return committers.end()
    }

    private func putting(_ numbers: Range<Int>) -> [@Sendable (WriteBatch) throws -> Void] {
        numbers.map { number in
            { batch in
                try batch.put("song \(number)", at: RowID(100).advanced(by: number), in: 2)
                try batch.put("\(number)", forKey: "title \(number)", in: 3)
            }
        }
    }

    @Test func batchesThatWaitShareOneSync() throws {
        let backend = try open()
        let told = Guarded<[CommitNumber]>([])
        let subscription = backend.onCommit { number in told.withLock { $0.append(number) } }
        let before = try backend.lastCommit()
        let outcomes = commit(putting(1..<16), to: backend)
        #expect(files.syncs == 2)
        let numbers = try (0..<16).map { try #require(outcomes[$0]).get() }
        // In the order in which they came.
        #expect(numbers == (1...16).map { CommitNumber(before.rawValue + $0) })
        #expect(told.withLock { $0 } == numbers)
        withExtendedLifetime(subscription) {}
        let changes = try backend.changes(after: before)
        for number in numbers { #expect(try changes.next()?.number == number) }
        #expect(try changes.next() == nil)
        try checkSongs(1..<16, backend)
        try backend.close()
        let again = try TokyoBackend(path: directory.file("store"))
        try checkSongs(1..<16, again)
        #expect(try again.reserveRows(1, in: 2).lowerBound > RowID(115))
        try again.close()
    }

    private func checkSongs(_ numbers: Range<Int>, _ backend: TokyoBackend) throws {
        for number in numbers {
            let row = RowID(100).advanced(by: number)
            #expect(try backend.text(at: row, in: 2) == "song \(number)")
        }
        let titles = numbers.map { "title \($0)" }.sorted()
        #expect(try backend.keys(in: 3) == titles)
        #expect(try backend.count(of: 2) == 4 + numbers.count)
    }

    @Test func aGroupSurvivesAKill() throws {
        let backend = try open()
        _ = commit(putting(1..<16), to: backend)
        let killed = directory.file("killed")
        try FileManager.default.copyItem(atPath: directory.file("store"), toPath: killed)
        try backend.close()
        let again = try TokyoBackend(path: killed)
        try checkSongs(1..<16, again)
        #expect(again.damagedViews.isEmpty)
        try again.close()
    }

    @Test func ofAFailedSharedSyncNothingIsSeen() throws {
        let backend = try open()
        let frozen = try backend.snapshot()
        let before = try backend.lastCommit()
        files.failSync(1)
        let outcomes = commit(putting(1..<8), to: backend)
        #expect(try outcomes[0]?.get() == before.next)
        for number in 1..<8 {
            #expect(throws: BackendError.self) { try outcomes[number]?.get() }
        }
        #expect(try backend.lastCommit() == before.next)
        #expect(try backend.keys(in: 3) == [])
        #expect(try backend.text(at: 101, in: 2) == nil)
        #expect(try backend.changes(after: before.next).next() == nil)
        // The store goes on, in another segment.
        #expect(try backend.put("later", at: 2, in: 2) == before.next.next)
        #expect(try frozen.text(at: 2, in: 2) == "first")
        let killed = directory.file("killed")
        try FileManager.default.copyItem(atPath: directory.file("store"), toPath: killed)
        try backend.close()
        for path in [directory.file("store"), killed] {
            let again = try TokyoBackend(path: path)
            #expect(try again.lastCommit() == before.next.next)
            #expect(try again.text(at: 2, in: 2) == "later")
            #expect(try again.keys(in: 3) == [])
            try again.close()
        }
    }

    @Test func aFailedWriteFailsOneAndNotThoseBeforeIt() throws {
        let backend = try open()
        // The one alone, the leader, its first follower.
        files.restart()
        files.failWrite(3)
        let outcomes = commit(putting(1..<6), to: backend)
        #expect(try (0..<3).map { try #require(outcomes[$0]).get() }.count == 3)
        #expect(throws: BackendError.self) { try outcomes[3]?.get() }
        for number in 4..<6 { _ = try #require(outcomes[number]).get() }
        try backend.close()
        let again = try TokyoBackend(path: directory.file("store"))
        #expect(try again.keys(in: 3) == [1, 2, 4, 5].map { "title \($0)" })
        try again.close()
    }

    @Test func aConflictWithACommitOfTheSameGroupIsFound() throws {
        let backend = try open()
        let frozen = try backend.snapshot()
        let basis = try backend.lastCommit()
        let outcomes = commit(
            [
                { batch in
                    batch.basis = basis
                    try batch.put("mine", at: 4, in: 2)
                },
                { batch in
                    batch.basis = basis
                    try batch.put("theirs", at: 4, in: 2)
                },
                { batch in
                    batch.require(.present, row: 200, in: 2)
                    try batch.put("refers", at: 5, in: 2)
                },
                { batch in
                    batch.basis = basis
                    try batch.put("other", at: 3, in: 2)
                },
            ], to: backend)
        _ = try #require(outcomes[1]).get()
        #expect(throws: BackendError.conflict([.row(4, table: 2)])) { try outcomes[2]?.get() }
        #expect(throws: BackendError.conflict([.row(200, table: 2)])) { try outcomes[3]?.get() }
        _ = try #require(outcomes[4]).get()
        #expect(try backend.text(at: 4, in: 2) == "mine")
        #expect(try backend.text(at: 5, in: 2) == "more")
        #expect(try backend.text(at: 3, in: 2) == "other")
        #expect(try frozen.text(at: 4, in: 2) == "more")
        try backend.close()
    }

    @Test func requirementsAndAdditionsSeeTheCommitsBeforeThem() throws {
        let backend = try open()
        let add: @Sendable (WriteBatch) throws -> Void = { batch in
            Array("sum".utf8).withUnsafeBytes { batch.add(1, forKey: $0, in: .namedBuffers) }
        }
        let outcomes = commit(
            Array(repeating: add, count: 5) + [
                { try $0.put("new", at: 200, in: 2) },
                { batch in
                    batch.require(.present, row: 200, in: 2)
                    try batch.put("refers", at: 5, in: 2)
                },
                { batch in
                    batch.require(.absent, row: 200, in: 2)
                    try batch.put("refers not", at: 5, in: 2)
                },
            ], to: backend)
        for number in 0..<8 { _ = try #require(outcomes[number]).get() }
        #expect(throws: BackendError.conflict([.row(200, table: 2)])) { try outcomes[8]?.get() }
        let buffer = DataBuffer()
        _ = try Array("sum".utf8).withUnsafeBytes {
            try backend.value(forKey: $0, in: .namedBuffers, into: buffer)
        }
        #expect(try buffer.readInt64() == 5)
        #expect(try backend.text(at: 5, in: 2) == "refers")
        try backend.close()
    }

    @Test func whatCannotBeCommittedFailsAlone() throws {
        let backend = try open()
        let outcomes = commit(
            [
                { try $0.put("one", at: 101, in: 2) },
                { try $0.put("nowhere", at: 2, in: 77) },
                { try $0.put("key", forKey: "x", in: 2) },
                { batch in
                    try batch.define(
                        TableDefinition(
                            number: 5, kind: .record, name: "Album", classNumber: 2,
                            classVersion: 0))
                    try batch.put("album", at: 2, in: 5)
                },
                { try $0.put("two", at: 102, in: 2) },
                { _ in },
            ], to: backend)
        #expect(throws: BackendError.noTable(77)) { try outcomes[2]?.get() }
        #expect(throws: BackendError.noTable(2)) { try outcomes[3]?.get() }
        for number in [0, 1, 4, 5, 6] { _ = try #require(outcomes[number]).get() }
        #expect(try backend.text(at: 101, in: 2) == "one")
        #expect(try backend.text(at: 102, in: 2) == "two")
        #expect(try backend.text(at: 2, in: 5) == "album")
        try backend.close()
    }

    @Test func thoseThatWaitFailOnceTheStoreIsClosed() throws {
        let backend = try open()
        let committers = Committers(backend)
        files.shut()
        committers.start(0) { try $0.put("alone", at: 2, in: 2) }
        files.awaitSync()
        let closing = Thread { try? backend.close() }
        closing.start()
        usleep(50_000)
        for (index, fill) in putting(1..<5).enumerated() { committers.start(index + 1, fill) }
        committers.awaitWaiters(4)
        files.open()
        let outcomes = committers.end()
        _ = try #require(outcomes[0]).get()
        // Each comes before the close or fails; none waits for ever.
        for number in 1..<5 {
            if case .failure(let error) = outcomes[number] { #expect(error == .closed) }
        }
        while !closing.isFinished { usleep(200) }
        let again = try TokyoBackend(path: directory.file("store"))
        let made = (1..<5).filter { if case .success? = outcomes[$0] { true } else { false } }
        #expect(try again.keys(in: 3) == made.map { "title \($0)" })
        try again.close()
    }

    @Test func sixteenThreadsNeedOneSyncForSixSaves() throws {
        // Longer than a thread takes to come back with its next save.
        let slow = GatedSyncs(duration: 0.025)
        let backend = try TokyoBackend(path: directory.file("slow"), files: slow)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try backend.commit(batch)
        slow.restart()
        let saves = 25
        let group = DispatchGroup()
        for writer in 0..<16 {
            group.enter()
            Thread {
                for save in 0..<saves {
                    let row = RowID(2).advanced(by: writer * saves + save)
                    if (try? backend.put("\(writer) \(save)", at: row, in: 2)) == nil { break }
                }
                group.leave()
            }.start()
        }
        group.wait()
        #expect(try backend.count(of: 2) == 16 * saves)
        #expect(slow.syncs * 6 <= 16 * saves, "\(slow.syncs) syncs")
        try backend.close()
    }
}
