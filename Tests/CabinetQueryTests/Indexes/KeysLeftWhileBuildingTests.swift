import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

#if SQLite
    import CabinetSQLite
#endif

/// A record whose key a builder enters while a save changes or deletes it leaves no key behind.
struct KeysLeftWhileBuildingTests {
    final class OldTag: StoredObject {
        @Field var name = ""
        override class var storageName: String { "Tag" }
    }

    final class Tag: StoredObject {
        @Field var name = ""
        override class var storageName: String { "Tag" }
        override class var indexes: [Index] { [.unique(\Tag.name)] }
    }

    /// How many keys the index has; its table is defined with the first.
    fileprivate static func keyCount(in backend: any Backend) throws -> Int {
        try backend.tables().filter { $0.kind == .ordered && $0.name.contains("Tag") }
            .map { try backend.count(of: $0.number) }.reduce(0, +)
    }

    /// Has the builder enter more keys than were there, between what a save reads and its commit.
    private final class Between: CommitParticipant {
        private let store: Store
        private var isDone = false
        private(set) var entered = 0

        init(_ store: Store) { self.store = store }

        func follows(_ storedClass: StoredClass) -> Bool { false }
        func begin(_ commit: Commit) throws {}
        func note(_ event: RecordEvent, in commit: Commit) throws {}
        func didEnd(committed number: CommitNumber?) {}
        func forgetWhatIsSaved() {}

        func join(_ commit: Commit) throws {
            if isDone { return }
            isDone = true
            let before = try KeysLeftWhileBuildingTests.keyCount(in: store.backend)
            let request = store.hub.upkeep.begin(for: store)
            while try KeysLeftWhileBuildingTests.keyCount(in: store.backend) < before + 80,
                store.hub.upkeep.progress != nil
            {
                Thread.sleep(forTimeInterval: 0.000_1)
            }
            request.progress.main.cancel()
            try? request.wait()
            entered = try KeysLeftWhileBuildingTests.keyCount(in: store.backend) - before
        }
    }

    @Test(arguments: [true, false])
    func aKeyThatABuilderEntersMeanwhileIsNoKeyOfItsRecordAfterwards(isDeleted: Bool) throws {
        let backend = MemoryBackend()
        CommitHub.of(backend).upkeep.limitChunks(to: 20)
        let container = StoreContainer(backend: backend, classes: [Tag.self])
        defer { try? container.close() }
        let older = try StoreContainer(backend: backend, classes: [OldTag.self]).makeStore()
        for number in 0..<20_000 {
            let tag = OldTag()
            tag.name = "tag \(number)" + filler
            older.insert(tag)
        }
        try older.save()
        try older.close()
        let store = try container.makeStore()
        // Only what the save lets it do is done; the rest is done at the end.
        while let progress = store.indexes.progress {
            progress.cancel()
            Thread.sleep(forTimeInterval: 0.000_1)
        }
        try store.refresh()
        let between = Between(store)
        store.add(between)
        // Keys are entered in the order of the rows.
        let start = try KeysLeftWhileBuildingTests.keyCount(in: backend) + 10
        let tags = try store.objects(of: Tag.self).map { $0 }
        for tag in tags[start..<min(start + 20, tags.count)] {
            if isDeleted { try store.delete(tag) } else { tag.name += " changed" }
        }
        try store.save()
        #expect(between.entered >= 20)
        try store.indexes.build()
        #expect(try store.indexFindings().isEmpty)
        let count = try KeysLeftWhileBuildingTests.keyCount(in: backend)
        #expect(count == (isDeleted ? 1_980 : 2_000))
        try store.close()
    }
}
