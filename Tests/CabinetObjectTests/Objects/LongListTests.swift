import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct LongListTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func itIsWhatAnArrayIs(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let songs = (0..<1500).map { Tune("\($0)") }
        // Some stand there more than once.
        var plain = (0..<900).map { songs[$0 < 30 ? $0 % 7 : $0] }
        let list = LongList(plain)
        for step in 0..<4000 {
            let song = songs[random.below(songs.count)]
            switch random.below(step < 2000 ? 5 : 3) {
            case 0 where !plain.isEmpty:
                let position = random.below(plain.count)
                #expect(list.remove(at: position) === plain.remove(at: position))
            case 1:
                let position = plain.firstIndex { $0 === song }
                #expect(
                    list.position(of: song) == position && list.contains(song) == (position != nil))
                if let position {
                    list.remove(at: position)
                    plain.remove(at: position)
                }
            case 2 where !plain.isEmpty:
                let position = random.below(plain.count)
                #expect(list.object(at: position) === plain[position])
            default:
                let position = seed % 2 == 0 ? 0 : random.below(plain.count + 1)
                list.insert(song, at: position)
                plain.insert(song, at: position)
            }
            #expect(list.count == plain.count)
        }
        #expect(list.objects.holds(plain))
        for position in plain.indices.reversed() { list.remove(at: position) }
        #expect(list.count == 0 && list.objects.isEmpty && list.position(of: songs[0]) == nil)
        list.insert(songs[0], at: 0)
        #expect(list.objects.holds([songs[0]]))
    }

    /// Its chunks fill several groups, some of which become empty.
    @Test func positionsAreThoseOfAnArrayInVeryLongLists() {
        var random = SeededRandom(seed: 1)
        let songs = (0..<20_000).map { Tune("\($0)") }
        var plain = songs
        let list = LongList(plain)
        for song in songs[2_000..<15_000] { _ = list.removeFirst(song) }
        plain.removeSubrange(2_000..<15_000)
        for song in songs[2_000..<5_000] {
            let position = random.below(plain.count + 1)
            list.insert(song, at: position)
            plain.insert(song, at: position)
        }
        for position in stride(from: 0, to: plain.count, by: 37) {
            #expect(list.object(at: position) === plain[position])
            #expect(list.position(of: plain[position]) == position)
        }
        #expect(list.objects.holds(plain))
    }
}
