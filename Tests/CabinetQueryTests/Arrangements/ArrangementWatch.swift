import CabinetBackend
import Testing

@testable import Cabinet

/// Views of arrangements of a store that follow by change sets, and live lists of them.
struct ArrangementWatch {
    /// A live list, and a table view that applies its changes.
    private struct Table<Object: StoredObject> {
        let live: LiveObjects<Object>
        let reader = LiveReader()
        var model = TableModel()

        init(_ live: LiveObjects<Object>) {
            self.live = live
            live.rows.add(reader)
        }

        mutating func check(_ found: [UInt64], waking isAwake: Bool) throws {
            if let failure = live.failure { throw failure }
            #expect(live.objects.numbers == found)
            guard isAwake else { return }
            if let change = reader.take(live.rows) { try model.apply(change) }
            #expect(model.rows == found)
        }
    }

    /// A live list of groups, and a table view of it.
    private struct Groups<Key: Hashable & OrderedKeyValue, Object: StoredObject> {
        let live: LiveSections<Key, Object>
        var table: SectionTable<Key, Object>

        init(_ live: LiveSections<Key, Object>) { (self.live, table) = (live, SectionTable(live)) }

        mutating func check(
            _ found: [GroupModel<Key, Object>.Section], waking isAwake: Bool
        ) throws {
            if let failure = live.failure { throw failure }
            #expect(live.sections.map(\.key) == found.map(\.key))
            #expect(live.sections.map(\.objects.numbers) == found.map(\.rows))
            #expect(live.objects.numbers == found.flatMap(\.rows))
            guard isAwake else { return }
            try table.read()
            let shown = table.model.sections
            #expect(shown.map(\.key) == found.map(\.key) && shown.map(\.rows) == found.map(\.rows))
        }
    }

    private let store: Store
    private var byArtist: GroupModel<String?, Melody>
    private var byDecade: GroupModel<Int, StoredObject>
    private var all: Table<Melody>
    private var davis: Table<Melody>
    private var edited: Table<Melody>
    private var someOfDavis: Table<Melody>
    private var artists: Groups<String?, Melody>
    private var decades: Groups<Int, StoredObject>
    private var latest: Groups<Int, StoredObject>
    private var edits: Groups<Int, StoredObject>

    /// How often changes were known, and how often they were not.
    var changes: Int { byArtist.changes + byDecade.changes }
    var resets: Int { byArtist.resets + byDecade.resets }

    init(_ store: Store) throws {
        self.store = store
        byArtist = try GroupModel(store.byArtist(), store.byArtist())
        byDecade = try GroupModel(Self.byDecade(store), Self.byDecade(store))
        all = Table(try store.byArtist().live())
        davis = Table(try store.byArtist().live(in: "Davis"))
        edited = Table(try store.byArtist().live(in: "Davis", includingPending: true))
        someOfDavis = Table(
            try store.byArtist().live(in: "Davis", from: .excluding("B"), to: .including("b")))
        artists = Groups(try store.byArtist().liveGroups(includingPending: true))
        decades = Groups(try Self.byDecade(store).liveGroups())
        latest = Groups(try Self.byDecade(store).liveGroups(descending: true))
        edits = Groups(
            try Self.byDecade(store).liveGroups(descending: true, includingPending: true))
    }

    private static func byDecade(_ store: Store) throws -> ArrangedObjects<Int, StoredObject> {
        try store.indexes.arrangement(
            "byDecade", ofClasses: [Melody.self, Reel.self], groupedBy: Int.self)
    }

    mutating func check(waking isAwake: Bool) throws {
        let (edited, decades) = (
            try GroupModel.list(store.byArtist()), try GroupModel.list(Self.byDecade(store))
        )
        try self.edited.check(edited.first { $0.key == "Davis" }?.rows ?? [], waking: isAwake)
        try artists.check(edited, waking: isAwake)
        try edits.check(decades.reversed(), waking: isAwake)
        try store.withState(includingPending: false) { saved in
            let groups = try GroupModel.list(saved.byArtist())
            try all.check(groups.flatMap(\.rows), waking: isAwake)
            try davis.check(groups.first { $0.key == "Davis" }?.rows ?? [], waking: isAwake)
            let some = try saved.byArtist().objects(in: "Davis").filter {
                $0.title > "B" && $0.title <= "b"
            }
            try someOfDavis.check(
                some.compactMap { $0.storedClass?.liveNumber(of: $0.rowID) }, waking: isAwake)
            let decades = try GroupModel.list(Self.byDecade(saved))
            try self.decades.check(decades, waking: isAwake)
            try latest.check(decades.reversed(), waking: isAwake)
            guard isAwake else { return }
            try byArtist.follow(store.byArtist(), saved.byArtist())
            try byDecade.follow(Self.byDecade(store), Self.byDecade(saved))
        }
    }
}
