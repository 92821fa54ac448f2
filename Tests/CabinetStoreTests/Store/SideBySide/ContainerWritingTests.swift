import CabinetBackend
import CabinetTestSupport
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// `write` of a container: once, or not at all.
struct ContainerWritingTests {
    private let container = StoreContainer(inMemory: volumeClasses)

    @Test func manyTasksAddToOneListAndNoneIsLost() async throws {
        let id = try await container.write { store in
            let bookcase = Bookcase()
            store.insert(bookcase)
            try store.save()
            return bookcase.objectID
        }
        let bookcase = try #require(id)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { [container] in
                    try await container.write { store in
                        let volume = Volume()
                        volume.title = "\(number)"
                        try #require(try store.object(bookcase)).volumes.append(volume)
                    }
                }
            }
            try await group.waitForAll()
        }
        let titles = try await container.read { store in
            try #require(try store.object(bookcase)).volumes.map(\.title)
        }
        #expect(Set(titles).count == 50)
    }

    @Test func whatThrowsSavesNothing() async throws {
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) {
            try await container.write { store in
                store.insert(Bookcase())
                throw Refusal()
            }
        }
        #expect(try container.makeStore().count(of: Bookcase.self) == 0)
    }

    @Test func aTaskThatIsCancelledBeforeTheCommitSavesNothing() async throws {
        let container = container
        let task = Task {
            try await container.write { store in
                store.insert(Bookcase())
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try container.makeStore().count(of: Bookcase.self) == 0)
    }

    @Test func aWriteIsRepeatedAfterAConflict() async throws {
        try await container.write { store in store.insert(Bookcase()) }
        let other = try container.makeStore()
        let calls = Guarded(0)
        let container = container
        try await container.write { store in
            try #require(try store.objects(of: Bookcase.self).first).year += 1
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst { try Self.addTen(container) }
        }
        #expect(calls.withLock { $0 } == 2)
        try other.refresh()
        #expect(try other.objects(of: Bookcase.self).first?.year == 11)
    }

    /// Once, a conflict of a save in it was thrown at once.
    @Test func aWriteThatSavesByItselfIsRepeatedToo() async throws {
        try await container.write { store in store.insert(Bookcase()) }
        let calls = Guarded(0)
        let container = container
        try await container.write { store in
            try #require(try store.objects(of: Bookcase.self).first).year += 1
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if call == 1 { try Self.addTen(container) }
            try store.save()
        }
        #expect(calls.withLock { $0 } == 2)
        let bookcases = try container.makeStore().objects(of: Bookcase.self)
        #expect(bookcases.map(\.year) == [11])
    }

    /// Once, it was called again, and was there twice.
    @Test func whatAWriteHasSavedIsNotMadeAgain() async throws {
        try await container.write { store in store.insert(Bookcase()) }
        let calls = Guarded(0)
        let container = container
        await #expect(throws: StoreError.self) {
            try await container.write { store in
                calls.withLock { $0 += 1 }
                let bookcase = try #require(try store.objects(of: Bookcase.self).first)
                store.insert(Volume())
                try store.save()
                bookcase.year += 1
                try Self.addTen(container)
            }
        }
        #expect(calls.withLock { $0 } == 1)
        let store = try container.makeStore()
        #expect(try store.count(of: Volume.self) == 1)
        #expect(try store.objects(of: Bookcase.self).map(\.year) == [10])
    }

    /// Another store is quicker.
    private static func addTen(_ container: StoreContainer) throws {
        let quick = try container.makeStore()
        try #require(try quick.objects(of: Bookcase.self).first).year += 10
        try quick.save()
    }
}
