import Cabinet
import CabinetTestSupport
import CabinetTokyo
import Testing

@testable import CabinetTestModel

/// A store reads beside another process that writes: here, what that process would do is done by
/// this one, past the lock.
struct FollowingTests {
    private let temporary: TemporaryStore
    private var writer: Store { temporary.store }

    init() throws { temporary = try TemporaryStore([Tune.self, TuneList.self]) }

    private func follower() throws -> Store {
        let path = temporary.directory.path(percentEncoded: false)
        let backend = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
        return try Store(backend: backend, classes: [Tune.self, TuneList.self])
    }

    private func titles(_ store: Store) throws -> [String] {
        try store.objects(of: Tune.self).map(\.title).sorted()
    }

    @Test func aReaderSeesWhatTheWriterSavedOnceItAdvances() throws {
        let list = TuneList()
        list.tunes = [Tune("a"), Tune("b"), Tune("c")]
        writer.insert(list)
        try writer.save()
        let reader = try follower()
        let found = try #require(try reader.objects(of: TuneList.self).first)
        #expect(found.tunes.map(\.title) == ["a", "b", "c"])
        list.tunes[0].title = "A"
        try writer.delete(list.tunes[1])
        list.tunes.append(Tune("d"))
        try writer.save()
        // Another store over the same backend has taken the commit up; this one has not.
        try reader.backend.refresh()
        #expect(try titles(reader) == ["a", "b", "c"])
        #expect(found.tunes.map(\.title) == ["a", "b", "c"])
        try reader.refresh()
        #expect(try titles(reader) == ["A", "c", "d"])
        #expect(found.tunes.map(\.title) == ["A", "c", "d"])
        #expect(reader.basis == writer.basis)
        try reader.close()
    }

    @Test func aReaderGoesOnAfterCompactionsAndTheWritersNextLife() async throws {
        writer.insert(Tune("a"))
        try writer.save()
        let reader = try follower()
        let first = try #require(try reader.objects(of: Tune.self).first)
        for round in 0..<5 {
            try #require(try writer.objects(of: Tune.self).first).title = "\(round)"
            writer.insert(Tune("new \(round)"))
            try writer.save()
            if round % 2 == 0, let engine = writer.backend as? TokyoBackend {
                try await engine.compact()
            }
            if round == 3 { try temporary.reopen() }
            if round == 1 { continue }
            try reader.refresh()
            #expect(first.title == "\(round)")
            #expect(try titles(reader) == titles(writer))
        }
        let report = try await reader.check()
        #expect(report.isSound, "\(report)")
        try reader.close()
    }

    /// Once, the reader that it had was given up, and without a new commit no other one came.
    @Test func aStoreThatIsReadAnewWithoutANewCommitIsRead() async throws {
        writer.insert(Tune("a"))
        writer.insert(Tune("b"))
        try writer.save()
        try writer.close()
        let path = temporary.directory.path(percentEncoded: false)
        let reader = try follower()
        let first = try #require(try reader.objects(of: Tune.self).first)
        let next = try TokyoBackend(path: path)
        try await next.compact()
        // What is touched in between may be read, or not.
        try reader.backend.refresh()
        _ = first.title
        #expect(try reader.refresh() == reader.basis)
        #expect(first.title == "a" && first.fetchError == nil)
        #expect(try titles(reader) == ["a", "b"])
        #expect(try await reader.check().isSound)
        try reader.close()
        try next.close()
    }
}
