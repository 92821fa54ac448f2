import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet

final class Track: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @Field var plays = 0
    @One var record: Record?
    @One var cover: Cover?
    var decade: Int { year / 10 }
    var recordYear: Int { record?.year ?? 0 }
    override class var storageName: String { "Live_Track" }
}
final class Record: StoredObject {
    @Field var name = ""
    @Field var year = 0
    @Many(inverse: \Track.record, onDelete: .cascade) var tracks: [Track]
    override class var storageName: String { "Live_Record" }
}
final class Cover: StoredObject {
    @Field var name = ""
    override class var storageName: String { "Live_Cover" }
}
/// Without relationships, and with a subclass.
class Note: StoredObject {
    @Field var text = ""
    @Field var rank = 0
    @Field var tags: Set<String> = []
    override class var storageName: String { "Live_Note" }
}
final class LongNote: Note {
    @Field var more = ""
    override class var storageName: String { "Live_LongNote" }
}
/// Of objects that may stand there repeatedly.
final class Folder: StoredObject {
    @Field var name = ""
    @Field var weight = 0.0
    @Field var weights: [Float] = []
    @Many var notes: [Note]
    override class var storageName: String { "Live_Folder" }
}

/// A live list with readers: one that keeps up, and one that sleeps most of the time.
protocol WatchedList {
    /// Compares the list with a fetch in the store, or in `saved` if pending changes do not count.
    func check(in store: Store, _ saved: Store) throws

    /// Has the readers take what has come.
    func read(waking sleeper: Bool) throws
}

final class Watched<Object: StoredObject>: WatchedList {
    let live: LiveObjects<Object>
    let query: ObjectQuery<Object>
    let includesPending: Bool
    private let readers = [LiveReader(), LiveReader()]
    private var tables = [TableModel(), TableModel()]

    init(_ store: Store, _ query: ObjectQuery<Object>, pending: Bool = false) throws {
        self.query = query
        live = try store.query(query).live(includingPending: pending)
        includesPending = pending
        for reader in readers { live.rows.add(reader) }
    }

    func check(in store: Store, _ saved: Store) throws {
        let fetched = try (includesPending ? store : saved).fetch(query).compactMap {
            $0.storedClass?.liveNumber(of: $0.rowID)
        }
        #expect(live.objects.numbers == fetched, "\(query)")
        if let failure = live.failure { throw failure }
    }

    func read(waking sleeper: Bool) throws {
        let found = live.objects.numbers
        if let failure = live.failure { throw failure }
        for index in sleeper ? [0, 1] : [0] {
            let rows = live.rows
            if let change = readers[index].take(rows) {
                try tables[index].apply(change)
            }
            #expect(tables[index].rows == found)
        }
    }
}

/// A live count.
final class WatchedCount<Object: StoredObject>: WatchedList {
    private let live: LiveValue<Int>
    private let query: ObjectQuery<Object>

    init(_ store: Store, _ query: ObjectQuery<Object>) throws {
        self.query = query
        live = try store.query(query).liveCount()
    }

    func check(in store: Store, _ saved: Store) throws {
        if let failure = live.failure { throw failure }
        #expect(live.value == (try saved.query(query).count()), "\(query)")
    }

    func read(waking sleeper: Bool) throws {}
}

/// A live list of tracks in sections of one year each, with readers as those of ``Watched``.
final class WatchedSections: WatchedList {
    private let live: LiveSections<Int, Track>
    private let query: ObjectQuery<Track>
    private var tables: [SectionTable<Int, Track>]

    init(_ store: Store, _ query: ObjectQuery<Track>) throws {
        self.query = query
        live = try store.query(query).live(sections: \.year)
        tables = [SectionTable(live), SectionTable(live)]
    }

    func check(in store: Store, _ saved: Store) throws {
        if let failure = live.failure { throw failure }
        var query = query
        query.sortedBy.insert(.ascending(\.year), at: 0)
        let fetched = try saved.fetch(query)
        #expect(live.objects.rowIDs == fetched.map(\.rowID), "\(query)")
        #expect(
            live.sections.flatMap { section in section.objects.map { _ in section.key } }
                == fetched.map(\.year))
    }

    func read(waking sleeper: Bool) throws {
        if let failure = live.failure { throw failure }
        for index in sleeper ? [0, 1] : [0] { try tables[index].read() }
    }
}
