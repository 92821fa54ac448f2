import Testing
import TrustSupport

@testable import Cabinet

struct LongListTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func itIsWhatAnArrayIs(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let songs = (0..<1500).map { Tune("\($0)") }
        // Some stand there more than once.
        var plain = (0..<900).map { songs[$0 < 30 ? $0 % 7 : $0] }
        let list = LongList(plain)
        for step in 0..<4000 {
            let song = songs[random.next(upTo: songs.count)]
            switch random.next(upTo: step < 2000 ? 5 : 3) {
            case 0 where !plain.isEmpty:
                let place = random.next(upTo: plain.count)
                #expect(list.remove(at: place) === plain.remove(at: place))
            case 1:
                let place = plain.firstIndex { $0 === song }
                #expect(list.place(of: song) == place && list.contains(song) == (place != nil))
                if let place {
                    list.remove(at: place)
                    plain.remove(at: place)
                }
            case 2 where !plain.isEmpty:
                let place = random.next(upTo: plain.count)
                #expect(list.object(at: place) === plain[place])
            default:
                let place = seed % 2 == 0 ? 0 : random.next(upTo: plain.count + 1)
                list.insert(song, at: place)
                plain.insert(song, at: place)
            }
            #expect(list.count == plain.count)
        }
        #expect(list.objects.holds(plain))
        for place in plain.indices.reversed() { list.remove(at: place) }
        #expect(list.count == 0 && list.objects.isEmpty && list.place(of: songs[0]) == nil)
        list.insert(songs[0], at: 0)
        #expect(list.objects.holds([songs[0]]))
    }
}

extension Array where Element: StoredObject {
    /// Whether these are the same objects in the same order.
    func holds(_ objects: [StoredObject]) -> Bool { elementsEqual(objects) { $0 === $1 } }
}
