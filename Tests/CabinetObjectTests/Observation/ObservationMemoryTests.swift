import Cabinet
import CabinetMemory
import Observation
import Testing

@testable import CabinetTestModel

struct WatchingMemoryTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Bell.observedStore(on: backend) }

    final class Closure: Sendable {
        let freed: Bell
        init(_ freed: Bell) { self.freed = freed }
        deinit { freed.ring() }
    }

    @Test func whatWatchesAnObjectGoesWithIt() throws {
        let store = try open()
        for number in 0..<100 { store.insert(Track("\(number)")) }
        try store.save()
        let freed = Bell()
        do {
            let tracks = try store.objects(of: Track.self)
            for track in tracks { _ = track.title }
            #expect(store.debugReport.observedObjects == 0, "nobody listened")
            for track in tracks {
                let closure = Closure(freed)
                withObservationTracking {
                    _ = (track.title, track.seconds)
                } onChange: { [closure] in
                    _ = closure
                }
            }
            #expect(store.debugReport.observedObjects == 100 && freed.rings == 0)
            tracks[0].title = "told"
            #expect(freed.rings == 1)
            try store.save()
            // An optimised build would let them go where they are used last.
            withExtendedLifetime(tracks) {}
        }
        #expect(store.debugReport.observedObjects == 0 && freed.rings == 100)
        let track = try #require(try store.objects(of: Track.self).first)
        #expect(Bell.rings(track.title) { track.title = "again" })
        #expect(store.debugReport.observedObjects == 1)
        try store.close()
        track.title = "plain"
        #expect(store.debugReport.observedObjects == 0)
    }

    /// An observer that holds the last reference to another observed object.
    @Test func aChainOfWatchedObjectsComesApart() throws {
        let store = try open()
        nonisolated(unsafe) var last = Track("0")
        store.insert(last)
        for number in 1..<50 {
            let next = Track("\(number)")
            store.insert(next)
            nonisolated(unsafe) let held = last
            withObservationTracking {
                _ = next.title
            } onChange: {
                _ = held
            }
            last = next
        }
        try store.save()
        #expect(store.debugReport.observedObjects == 49)
        last = Track("outside")
        #expect(store.debugReport.observedObjects == 0)
    }

    @Test(.enabled(if: Allocations.canBeCounted, "nobody can count allocations here"))
    func readsThatNobodyHearsTakeNoMemory() throws {
        let store = try open()
        let tracks = (0..<1000).map { Track("\($0)") }
        tracks.forEach(store.insert)
        try store.save()
        _ = tracks[0].seconds
        tracks[0].seconds = 1
        var sum: UInt32 = 0
        let blocks = try Allocations.count { for track in tracks { sum += track.seconds } }
        #if DEBUG
            #expect(blocks < 30_000)
        #else
            #expect(blocks == 0)
        #endif
        #expect(sum == 1 && store.debugReport.observedObjects == 0)
    }
}
