import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// What commits do to objects, as values for any isolation domain.
struct ObjectEventTests {
    @Test func eachCommitSaysWhatItHasDone() async throws {
        let container = StoreContainer(inMemory: [Track.self, Record.self, Cover.self])
        let store = try container.makeStore()
        var events = container.events(of: Track.self).makeAsyncIterator()
        let track = Track()
        (track.title, track.year) = ("Echoes", 1971)
        store.insert(track)
        store.insert(Cover())
        store.author = "import"
        try store.note("first")
        try store.save()
        let id = try #require(track.objectID)
        track.year = 1972
        track.title = "Meddle"
        try store.save()
        try store.delete(track)
        try store.save()
        let first = try #require(try await events.next())
        #expect(first.id == id && first.author == "import" && first.notes == ["first"])
        guard case .inserted(let fields) = first.kind else {
            Issue.record("\(first)")
            return
        }
        #expect(fields.first { $0.name == "year" }?.value == .integer(1971))
        let second = try #require(try await events.next())
        #expect(
            second.kind
                == .changed([
                    FieldChange(name: "title", old: .text("Echoes"), new: .text("Meddle")),
                    FieldChange(name: "year", old: .integer(1971), new: .integer(1972)),
                ]))
        #expect(second.commit == first.commit.next && second.notes == [])
        let third = try #require(try await events.next())
        guard case .deleted(let former) = third.kind else {
            Issue.record("\(third)")
            return
        }
        #expect(former.first { $0.name == "title" }?.value == .text("Meddle"))
        try store.close()
        try container.close()
        #expect(try await events.next() == nil)
    }

    /// Once, a value that does not equal itself was told as changed with any other field.
    @Test func whatIsNoNumberHasNotChanged() async throws {
        let container = StoreContainer(inMemory: [Folder.self, Note.self, LongNote.self])
        let store = try container.makeStore()
        let folder = Folder()
        (folder.weight, folder.weights) = (.nan, [1, .nan])
        store.insert(folder)
        try store.save()
        var events = container.events(of: Folder.self).makeAsyncIterator()
        folder.name = "a"
        try store.save()
        let event = try await events.next()
        #expect(
            event?.kind == .changed([FieldChange(name: "name", old: .text(""), new: .text("a"))]))
    }

    @Test func anotherIsolationDomainHearsOfEverySave() async throws {
        let container = StoreContainer(inMemory: [Track.self, Record.self, Cover.self])
        let events = container.events(of: Track.self)
        var iterator = events.makeAsyncIterator()
        let writer = Task {
            do {
                for number in 0..<50 {
                    try await container.write { store in
                        let track = try store.fetch(Track.self).first ?? Track()
                        track.year = number + 1
                        store.insert(track)
                    }
                }
            } catch {
                // Ends the wait for what does not come.
                try container.close()
                throw error
            }
        }
        var years: [FieldValue?] = []
        while years.count < 50, let event = try await iterator.next() {
            switch event.kind {
            case .inserted(let fields): years.append(fields.first { $0.name == "year" }?.value)
            case .changed(let fields):
                #expect(fields[0].old == years.last)
                years.append(fields[0].new)
            case .deleted, .written: Issue.record("each is changed")
            }
        }
        try await writer.value
        #expect(years == (1...50).map { .integer($0) })
    }

    @MainActor @Test func theMainActorReadsLiveListsAndEvents() async throws {
        let container = StoreContainer(inMemory: [Track.self, Record.self, Cover.self])
        let store = try container.makeStore()
        store.refreshesAutomatically = true
        let live = try store.query(Track.self).sorted(by: \.year).live()
        let count = try store.query(Track.self).liveCount()
        try await container.write { store in
            for _ in 0..<3 { store.insert(Track()) }
        }
        for try await change in live.changes where change.objects.count == 3 { break }
        for try await number in count where number == 3 { break }
        #expect(live.objects.count == 3)
    }
}
