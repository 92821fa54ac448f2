import Cabinet

/// Tracks that named their performers, and performers as objects.
enum Performed {
    /// The first program.
    enum Then {
        final class Track: StoredObject {
            @Field var title = ""
            @Field var performer = ""

            convenience init(_ title: String, by performer: String) {
                self.init()
                (self.title, self.performer) = (title, performer)
            }
        }
        final class Label: StoredObject {
            @Field var name = ""
            @Field var founded: Int16?
            @Many var tracks: [Track]
            @One var parent: Label?
            @One var star: Track?
        }
    }

    /// The program of today: a class more, and one less.
    final class Track: StoredObject {
        @Field var title = ""
        @Field var performer = ""
        @One var by: Performer?
    }
    final class Performer: StoredObject {
        @Field var name = ""
        @Many(inverse: \Track.by) var tracks: [Track]

        convenience init(_ name: String) {
            self.init()
            self.name = name
        }
    }

    static let classes: [StoredObject.Type] = [Track.self, Performer.self]

    /// Makes performers of names.
    static let split = Migration("performers become objects") { store, progress in
        var known: [String: Performer] = [:]
        progress.totalUnitCount = Int64(try store.count(of: Track.self))
        try store.forEach(Track.self) { track in
            let performer = known[track.performer] ?? Performer(track.performer)
            known[track.performer] = performer
            track.by = performer
            progress.completedUnitCount += 1
        }
    }

    static func fill(_ backend: any Backend, tracks: Int = 4) throws {
        let store = try Store(backend: backend, classes: [Then.Track.self, Then.Label.self])
        var made: [Then.Track] = []
        for number in 0..<tracks {
            made.append(Then.Track("track \(number)", by: ["Nina", "Otis"][number % 2]))
        }
        made.forEach(store.insert)
        let (parent, label) = (Then.Label(), Then.Label())
        (parent.name, label.name, label.founded) = ("Parent", "Label", 1957)
        (label.tracks, label.parent, label.star) = (made, parent, made.first)
        store.insert(label)
        try store.save()
    }

    /// What there is, as text.
    static func summary(_ store: Store) throws -> [String] {
        try store.objects(of: Performer.self).map { performer in
            "\(performer.name): \(performer.tracks.map(\.title).sorted().joined(separator: ", "))"
        }.sorted()
    }
    static let result = ["Nina: track 0, track 2", "Otis: track 1, track 3"]
}
