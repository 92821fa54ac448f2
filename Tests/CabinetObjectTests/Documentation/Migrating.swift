import Cabinet
import CabinetMemory
import Foundation
import Testing

/// An earlier program had `@Field var authorName = ""` in place of the author.
final class Novel: StoredObject {
    @Field var title = ""
    @Field var authorName = ""
    @One var author: Writer?
}

final class Writer: StoredObject {
    @Field var name = ""
    @Many(inverse: \Novel.author) var novels: [Novel]
}

/// Each runs once in the life of a store, in this order. Never change or remove a name.
let migrations = [
    Migration("2027: authors become objects") { store, progress in
        var writers: [String: Writer] = [:]
        progress.totalUnitCount = Int64(try store.count(of: Novel.self))
        try store.forEach(Novel.self) { novel in
            if progress.isCancelled { throw CancellationError() }
            let writer = writers[novel.authorName] ?? Writer()
            writer.name = novel.authorName
            writers[novel.authorName] = writer
            novel.author = writer
            progress.completedUnitCount += 1
        }
    },
    // The program has no class `Pamphlet` any more. Its records become novels.
    Migration("2028: pamphlets become novels", dropping: ["Pamphlet"]) { store, _ in
        try store.forEachRecord(of: "Pamphlet") { record in
            let novel = Novel()
            novel.title = try record.value("heading") ?? ""
            store.insert(novel)
        }
    },
]

func openLibrary(at directory: URL, progress: Progress) async throws -> Store {
    let store = try Store(
        directory: directory, classes: [Novel.self, Writer.self], migrations: migrations)
    try await store.migrate(progress: progress)
    return store
}

private enum Earlier {
    final class Novel: StoredObject {
        @Field var title = ""
        @Field var authorName = ""
    }
    final class Pamphlet: StoredObject {
        @Field var heading = ""
    }
}

struct MigrationExampleTests {
    @Test func theExampleDoesWhatItSays() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "Cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = try Store(
            directory: directory, classes: [Earlier.Novel.self, Earlier.Pamphlet.self])
        for (title, author) in [("Emma", "Austen"), ("Ulysses", "Joyce"), ("Persuasion", "Austen")]
        {
            let novel = Earlier.Novel()
            (novel.title, novel.authorName) = (title, author)
            first.insert(novel)
        }
        let pamphlet = Earlier.Pamphlet()
        pamphlet.heading = "Common Sense"
        first.insert(pamphlet)
        try first.save()
        try first.close()

        for _ in 0..<2 {
            let progress = Progress(totalUnitCount: 0)
            let store = try await openLibrary(at: directory, progress: progress)
            #expect(progress.isFinished)
            let writers = try store.objects(of: Writer.self)
            #expect(writers.map(\.name).sorted() == ["Austen", "Joyce"])
            #expect(writers.map(\.novels.count).sorted() == [1, 2])
            #expect(try store.count(of: Novel.self) == 4)
            try store.close()
        }
    }
}
