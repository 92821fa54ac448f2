#if SQLite
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Foundation
    import Testing

    @testable import Cabinet

    /// What looks at the state of a store that another program may have changed since.
    struct TwoProgramTests {
        private let directory: TemporaryDirectory
        private let (mine, theirs): (SQLiteBackend, SQLiteBackend)

        init() throws {
            directory = try TemporaryDirectory()
            let path = directory.path + "Store.sqlite"
            mine = try SQLiteBackend(path: path, durability: .process)
            theirs = try SQLiteBackend(path: path, durability: .process)
        }

        /// Once, the second never returned: a store with triggers or history could not be opened.
        @Test func twoProgramsBeginToKeepCommitsUnderOneName() throws {
            #expect(try theirs.keepOn("reader", limit: 1 << 20) == .begun)
            #expect(try mine.keepOn("reader", limit: 1 << 20) == .kept)
            #expect(try mine.keepOn("other", limit: 1 << 20) == .begun)
        }

        /// Once, a program that had not looked since took it for the position of another store.
        @Test func aPositionThatAnotherProgramGivesHolds() async throws {
            let (one, two) = (
                StoreContainer(backend: mine, classes: volumeClasses),
                StoreContainer(backend: theirs, classes: volumeClasses)
            )
            let store = try two.makeStore()
            store.insert(Bookcase())
            try store.save()
            let position = try two.position()
            store.insert(Bookcase())
            try store.save()
            var commits = one.commits(after: position).makeAsyncIterator()
            #expect(try await commits.next()?.number == store.basis)
            store.insert(Bookcase())
            try store.save()
            try one.keepCommits(after: two.position(), for: "sync", limit: 1 << 20)
            #expect(try two.keptCommits().map(\.name) == ["sync"])
            try two.letGoOfCommits(for: "sync")
            #expect(try one.keptCommits().isEmpty)
            try store.close()
        }
    }
#endif
