#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetTestSupport
    import Testing
    import TrustSupport

    @testable import Cabinet

    final class WaySong: StoredObject {
        @Field var title = ""
        @Field var year = 0
        @One var list: WayList?
        override class var indexes: [Index] { [.ordered(\WaySong.year)] }
    }

    final class WayList: StoredObject {
        @Field var name = ""
        @Many(inverse: \WaySong.list) var songs: [WaySong]
    }

    /// A class without derived tables.
    final class WayNote: StoredObject {
        @Field var text = ""
    }

    final class WayPrice: StoredObject {
        @Field var cents = 0
        override class var keepsHistory: Bool { true }
    }

    /// How often a store waits for the server, after authentication.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct StoreWaysTests {
        private let shared: SharedStore
        private let proxy: PostgresProxy
        private static let songs = 1000

        init() throws {
            shared = try SharedStore()
            proxy = try PostgresProxy(before: shared.server)
        }

        private func open() throws -> Store {
            try Store(
                backend: shared.open(at: proxy.address, beats: false),
                classes: [WaySong.self, WayList.self, WayNote.self])
        }

        private func ways(_ body: () throws -> Void) rethrows -> Int { try proxy.count(body).ways }

        /// A list of songs, in a store of its own.
        private func fill() throws {
            let store = try open()
            let list = WayList()
            list.songs = (0..<Self.songs).map { number in
                let song = WaySong()
                (song.title, song.year) = ("Song \(number)", 1960)
                return song
            }
            store.insert(list)
            store.insert(WayNote())
            try store.save()
            try store.indexes.require()
            try store.close()
        }

        @Test func aSaveIsOneWayAndTwoWithDerivedTables() throws {
            let store = try open()
            let (note, song) = (WayNote(), WaySong())
            store.insert(note)
            #expect(try ways { try store.save() } == 1)
            store.insert(song)
            // The table of the index is claimed.
            #expect(try ways { try store.save() } == 2)
            for step in 1..<4 {
                note.text = "\(step)"
                #expect(try ways { try store.save() } <= 1)
                song.year = step
                #expect(try ways { try store.save() } <= 2)
                (note.text, song.year) = ("a", step + 10)
                #expect(try ways { try store.save() } <= 2)
            }
            try store.close()
        }

        @Test func openingTakesTwoWaysAndClosingFour() throws {
            try fill()
            var opened: Store?
            #expect(try ways { opened = try open() } == 2)
            let store = try #require(opened)
            #expect(try store.query(WaySong.self).count() == Self.songs)
            #expect(try ways { try store.close() } <= 4)
        }

        /// What others have committed comes with the look whether they have.
        @Test func takingUpSavesOfOthersIsOneWay() throws {
            let (store, other) = (try open(), try open())
            let note = WayNote()
            store.insert(note)
            try store.save()
            try other.refresh()
            let read = try #require(try other.objects(of: WayNote.self).first)
            for count in 1..<4 {
                for step in 0..<count {
                    note.text = "\(count) \(step)"
                    try store.save()
                }
                #expect(try ways { try other.refresh() } == 1)
                var text = ""
                #expect(ways { text = read.text } == 1)
                #expect(text == note.text)
            }
            #expect(try ways { try other.refresh() } == 1)
            try store.close()
            try other.close()
        }

        /// Nor does a store of the same process read what this one has saved.
        @Test func takingUpASaveOfTheSameProcessIsOneWay() throws {
            let container = StoreContainer(
                backend: try shared.open(at: proxy.address, beats: false),
                classes: [WaySong.self, WayList.self, WayNote.self])
            let (store, other) = (try container.makeStore(), try container.makeStore())
            let note = WayNote()
            store.insert(note)
            try store.save()
            try other.refresh()
            note.text = "new"
            #expect(try ways { try store.save() } == 1)
            #expect(try ways { try other.refresh() } == 1)
            #expect(try other.objects(of: WayNote.self).map(\.text) == ["new"])
        }

        @Test func objectsAreReadManyAtATime() throws {
            try fill()
            let store = try open()
            let query = store.query(WaySong.self).filter { $0.year == 1960 }
            var found: [WaySong] = []
            #expect(try ways { found = try query.objects() } <= 3)
            #expect(found.count == Self.songs)
            let other = try open()
            let songs = try #require(try other.objects(of: WayList.self).first).songs
            var titles: Set<String> = []
            #expect(ways { titles = Set(songs.map(\.title)) } <= 16)
            #expect(titles.count == Self.songs)
            try store.close()
            try other.close()
        }

        /// From the feed, and from tables to which what commits have replaced was moved, some of it or all.
        @Test func historyIsReadManyRowsAtATime() async throws {
            // Looks for commits of others are ways, too.
            let backend = try shared.open(at: proxy.address, beats: false, look: .seconds(3600))
            let container = StoreContainer(backend: backend, classes: [WayPrice.self])
            let store = try container.makeStore()
            var numbers = SeededRandom(seed: 40)
            let prices = (0..<300).map { _ in WayPrice() }
            // What each change has made of the number that it found, in their order.
            var wanted: [Int] = []
            for price in prices { store.insert(price) }
            try store.save()
            let first = try backend.lastCommit()
            func edit() throws {
                for _ in 0..<60 {
                    for index in prices.indices.shuffled(using: &numbers).prefix(5).sorted() {
                        prices[index].cents += 1
                        wanted.append(prices[index].cents)
                    }
                    try store.save()
                }
            }
            for step in 0..<3 {
                if step != 1 { try edit() }
                if step > 0 { try HistoryMove(backend).moveAll() }
                if step == 2 { try edit() }
                var (found, ways): ([Int], Int) = ([], proxy.ways)
                for try await event in container.history(of: WayPrice.self) {
                    guard case .changed(let fields) = event.kind else { continue }
                    for field in fields {
                        guard case .integer(let new)? = field.new, field.old == .integer(new - 1)
                        else { continue }
                        found.append(Int(new))
                    }
                }
                #expect(found == wanted)
                #expect(proxy.ways - ways <= 30)
                ways = proxy.ways
                let changes = try container.changes(from: first, to: backend.lastCommit())
                #expect(changes.count == prices.lazy.filter { $0.cents > 0 }.count)
                #expect(proxy.ways - ways <= 30)
            }
        }
    }
#endif
