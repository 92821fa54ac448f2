import CabinetBackend
import Testing

@testable import Cabinet

/// One index over several classes.
@Suite("Indexes: shared by classes")
struct SharedIndexTests {
    final class Film: StoredObject {
        @Field var name = ""
        @Field var year = 0
        @Field var isReleased = true
    }

    struct MediaKey: OrderedKeyValue {
        var title: String
        var year: Int

        func write(to key: inout OrderedKeyBuilder) {
            key.append(title)
            key.append(year)
        }

        static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> MediaKey {
            MediaKey(title: try key.read(String.self), year: try key.read(Int.self))
        }
    }

    private let media = SharedIndex<MediaKey>(named: "media")
        .including(OlderSong.self) { MediaKey(title: $0.title, year: $0.year) }
        .including(
            Film.self, where: { $0.isReleased }, { MediaKey(title: $0.name, year: $0.year) })

    private func expected(_ store: Store) throws -> [String] {
        var all = try store.objects(of: OlderSong.self).map { "\($0.title) \($0.year)" }
        all += try store.objects(of: Film.self).filter(\.isReleased).map { "\($0.name) \($0.year)" }
        return all.sorted()
    }

    private func expectAgreement(_ store: Store) throws {
        for isDescending in [false, true] {
            var found: [String] = []
            try store.indexes.forEachKey(of: media, descending: isDescending) { key in
                found.append("\(key.title) \(key.year)")
                return true
            }
            let wanted = try expected(store)
            #expect(found == (isDescending ? wanted.reversed() : wanted))
            found = []
            try store.indexes.forEachObject(of: media) { object, key in
                if let song = object as? OlderSong { #expect(song.title == key.title) }
                if let film = object as? Film { #expect(film.name == key.title) }
                found.append("\(key.title) \(key.year)")
                return true
            }
            #expect(found == wanted)
        }
    }

    @Test(
        "its entries are those of all classes, in one order", arguments: IndexScene.Engine.allCases)
    func entries(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        let store = try scene.open(IndexScene.older + [Film.self])
        for number in 0..<60 {
            let song = OlderSong()
            (song.title, song.year) = ("T\(number % 13)", 1_000 + number)
            let film = Film()
            (film.name, film.year, film.isReleased) = (
                "T\(number % 11)", 2_000 + number, number % 3 > 0
            )
            store.insert(song)
            store.insert(film)
        }
        try store.save()
        try store.indexes.register(media)
        try expectAgreement(store)
        try store.indexes.build()
        try expectAgreement(store)
        for (number, film) in try store.objects(of: Film.self).enumerated() {
            if number % 4 == 0 { film.isReleased.toggle() }
            if number % 5 == 0 { film.name = "Z\(number)" }
            if number % 7 == 0 { try store.delete(film) }
        }
        store.insert(OlderSong())
        try expectAgreement(store)
        try store.save()
        try expectAgreement(store)
        var count = 0
        try store.indexes.forEachKey(of: media, in: KeyRange(prefix: OrderedKey("T3").bytes)) {
            key in
            #expect(key.title == "T3")
            count += 1
            return count < 3
        }
        #expect(count == 3)
        try store.indexes.unregister(media)
        #expect(throws: StoreError.self) { try store.indexes.forEachKey(of: media) { _ in true } }
    }
}
