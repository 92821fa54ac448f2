import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Counts, values, relationships and sections that follow saves.
struct LiveValueTests {
    private func open() throws -> (Store, [Track]) {
        let store = try Store(
            inMemory: [Track.self, Record.self, Cover.self, Note.self, LongNote.self])
        let tracks = (0..<5).map { number in
            let track = Track()
            (track.title, track.year, track.plays) = ("\(number % 2)", number * 10, number)
            store.insert(track)
            return track
        }
        try store.save()
        #if DEBUG
            store.verifiesLiveQueries = true
        #endif
        return (store, tracks)
    }

    @Test func aCountFollows() async throws {
        let (store, tracks) = try open()
        let count = try store.query(Track.self).filter(#Predicate { $0.year > 15 }).liveCount()
        var values = count.makeAsyncIterator()
        #expect(try await values.next() == 3)
        tracks[0].year = 16
        try store.save()
        tracks[1].year = 16
        try store.save()
        #expect(try await values.next() == 5)
        tracks[2].plays += 1
        try store.save()
        try store.delete(tracks[3])
        try store.save()
        #expect(try await values.next() == 4)
        #expect(count.value == 4)
        let first = try store.query(Track.self).limit(2).liveCount()
        #expect(first.value == 2)
    }

    @Test func aValueIsFoundAgainWhenItsClassHasChanged() async throws {
        let (store, tracks) = try open()
        let plays = try store.live.value(following: Track.self) {
            try $0.fetch(Track.self).reduce(0) { $0 + $1.plays }
        }
        let pending = try store.live.value(following: Track.self, includingPending: true) {
            try $0.fetch(Track.self).reduce(0) { $0 + $1.plays }
        }
        var values = plays.makeAsyncIterator()
        #expect(try await values.next() == 10)
        tracks[0].plays = 5
        #expect(plays.value == 10 && pending.value == 15)
        tracks[0].plays = 6
        #expect(plays.value == 10 && pending.value == 16)
        store.insert(Cover())
        try store.save()
        #expect(try await values.next() == 16)
        #expect(pending.value == 16)
        try store.close()
        #expect(try await values.next() == nil)
    }

    @Test func aRelationshipFollows() async throws {
        let (store, tracks) = try open()
        let record = Record()
        store.insert(record)
        record.tracks = Array(tracks[0..<3])
        try store.save()
        let live = try store.live.objects(\Record.tracks, of: record)
        var changes = live.changes.makeAsyncIterator()
        #expect(try await changes.next()?.objects.elementsEqual(tracks[0..<3], by: ===) == true)
        record.tracks = [tracks[1], tracks[2], tracks[0]]
        #expect(live.objects.first === tracks[0])
        tracks[4].record = record
        tracks[1].plays = 100
        try store.save()
        let change = try #require(try await changes.next())
        #expect(change.moves == [.init(from: 0, to: 2)] && change.insertions == [3])
        #expect(change.updates.contains(0))
        try store.delete(tracks[1])
        try store.save()
        #expect(try await changes.next()?.deletions == [0])
        try store.delete(record)
        try store.save()
        #expect(try await changes.next()?.objects.isEmpty == true)
    }

    @Test func oneObjectFollows() async throws {
        let (store, tracks) = try open()
        let live = try store.live.object(tracks[2])
        var changes = live.changes.makeAsyncIterator()
        #expect(try await changes.next()?.objects.first === tracks[2])
        tracks[1].plays = 7
        try store.save()
        tracks[2].plays = 8
        try store.save()
        let change = try #require(try await changes.next())
        #expect(change.updates == [0] && change.insertions == [] && change.deletions == [])
        try store.delete(tracks[2])
        try store.save()
        #expect(try await changes.next()?.deletions == [0])
    }

    @Test func anEmptiedSectionGoesAndAFilledOneComesBack() async throws {
        let (store, tracks) = try open()
        let live = try store.query(Track.self).sorted(by: \.year).live(sections: \.title)
        var changes = live.changes.makeAsyncIterator()
        let first = try #require(try await changes.next())
        #expect(first.isReset && first.sections.map(\.key) == ["0", "1"])
        #expect(first.sections[0].objects.map(\.year) == [0, 20, 40])
        tracks[1].title = "2"
        tracks[3].title = "2"
        try store.save()
        let second = try #require(try await changes.next())
        #expect(second.sectionDeletions == [1] && second.sectionInsertions == [1])
        #expect(second.moves.isEmpty && second.insertions == [] && second.deletions == [])
        tracks[1].title = "0"
        try store.save()
        let third = try #require(try await changes.next())
        #expect(third.sectionDeletions == [] && third.sectionInsertions == [])
        #expect(third.moves.map(\.from) == [.init(section: 1, index: 0)])
        #expect(third.moves.map(\.to) == [.init(section: 0, index: 1)])
        #expect(live.sections.map(\.objects.count) == [4, 1])
    }

    @Test(arguments: RunSetting.seeds(24))
    func eachSectionChangeLeadsToTheNextSections(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let (store, _) = try open()
        let live = try store.query(Track.self).filter(#Predicate { $0.plays < 8 })
            .sorted(by: \.title).live(sections: \.year)
        var changes = live.changes.makeAsyncIterator()
        var model = SectionModel<Int, Track>()
        try model.apply(try #require(try await changes.next()))
        for step in 0..<400 {
            let tracks = try store.fetch(Track.self)
            for _ in 0...random.below(3) {
                let track = tracks.randomElement(using: &random)
                switch random.below(5) {
                case 0:
                    let track = Track()
                    (track.title, track.year) = ("\(random.below(4))", random.below(6))
                    store.insert(track)
                case 1: track?.year = random.below(6)
                case 2: track?.title = "\(random.below(4))"
                case 3: track?.plays = random.below(10)
                default: if let track, tracks.count > 10 { try store.delete(track) }
                }
            }
            try store.save()
            if random.once(in: 3) {
                // One that does not wait where there is nothing.
                let track = Track()
                track.year = step % 6
                store.insert(track)
                try store.save()
                try model.apply(try #require(try await changes.next()))
            }
            let expected = Dictionary(
                grouping: try store.fetch(Track.self).filter { $0.plays < 8 }, by: \.year)
            #expect(live.sections.map(\.key) == expected.keys.sorted())
            #expect(live.sections.allSatisfy { $0.objects.count == expected[$0.key]?.count })
        }
    }
}
