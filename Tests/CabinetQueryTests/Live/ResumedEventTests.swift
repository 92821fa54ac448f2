import CabinetBackend
import Foundation
import Testing

@testable import Cabinet

/// Events from a position on, and what they say of steps of undo.
struct ResumedEventTests {
    private func make() throws -> (container: StoreContainer, store: Store, track: Track) {
        let container = StoreContainer(inMemory: [Track.self, Record.self, Cover.self])
        let store = try container.makeStore()
        let track = Track()
        track.title = "a"
        store.insert(track)
        try store.save()
        return (container, store, track)
    }

    private func kinds(
        _ container: StoreContainer, after position: ChangePosition, _ count: Int
    ) async throws -> [(String, ChangePosition?)] {
        var found: [(String, ChangePosition?)] = []
        for try await event in container.events(of: Track.self, after: position) {
            let text =
                switch event.kind {
                case .inserted: "inserted"
                case .deleted(let fields): "deleted, \(fields.count) fields"
                case .written(let fields): "written \(fields[0].value)"
                case .changed(let fields):
                    "changed " + fields.map { "\($0.old ?? .none) \($0.new ?? .none)" }.joined()
                }
            found.append((text, event.position))
            if found.count == count { break }
        }
        return found
    }

    @Test func anIterationGoesOnFromAPosition() async throws {
        let (container, store, track) = try make()
        let first = try container.position()
        track.title = "b"
        try store.save()
        track.title = "c"
        try store.save()
        try store.delete(track)
        try store.save()
        let all = try await kinds(container, after: first, 3)
        #expect(
            all.map(\.0) == [
                #"written text("b")"#, #"changed text("b") text("c")"#, "deleted, 5 fields",
            ], "\(all)")
        let rest = try await kinds(container, after: try #require(all[1].1), 1)
        #expect(rest.map(\.0) == ["deleted, 0 fields"] && rest[0].1 == all[2].1)
        try container.close()
    }

    @Test func aPositionOfAnotherStoreIsRefused() async throws {
        let (container, _, _) = try make()
        let (other, _, _) = try make()
        var events = container.events(of: Track.self, after: try other.position())
            .makeAsyncIterator()
        await #expect {
            _ = try await events.next()
        } throws: { error in
            if case BackendError.changesGone = error { true } else { false }
        }
    }

    @Test func commitsEventsAndListsSayThatStepsWereTakenBack() async throws {
        let (container, store, track) = try make()
        store.undoHistory.isEnabled = true
        let other = try container.makeStore()
        let lists = [
            try store.query(Track.self).sorted(by: \.title).live(),
            try other.query(Track.self).sorted(by: \.title).live(),
        ]
        var changes = lists.map { $0.changes.makeAsyncIterator() }
        for index in changes.indices { _ = try await changes[index].next() }
        var events = container.events(of: Track.self).makeAsyncIterator()
        var commits = container.commits.makeAsyncIterator()

        func check(_ steps: [CommitStep], _ own: LiveCause, _ foreign: LiveCause) async throws {
            try store.save()
            try other.refresh()
            #expect(try await events.next()?.steps == steps)
            #expect(try await commits.next()?.steps == steps)
            #expect(try await changes[0].next()?.cause == own)
            #expect(try await changes[1].next()?.cause == foreign)
        }
        track.year = 1
        try await check([], .save, .otherStores)
        try store.undoHistory.group("Rename") { track.title = "b" }
        try await check([CommitStep(kind: .made, name: "Rename")], .save, .otherStores)
        try store.undoHistory.undo()
        try await check(
            [CommitStep(kind: .undone, name: "Rename")], [.save, .undo], [.otherStores, .undo])
        try store.undoHistory.redo()
        try await check(
            [CommitStep(kind: .redone, name: "Rename")], [.save, .undo], [.otherStores, .undo])
        try store.undoHistory.undo()
        store.rollback()
        track.year = 5
        try await check([], .save, .otherStores)
        try container.close()
    }
}
