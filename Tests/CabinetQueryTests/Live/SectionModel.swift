import CabinetBackend
import Testing

@testable import Cabinet

/// Sections with their rows, as a view of them applies changes.
struct SectionModel<Key: Equatable, Object: StoredObject> {
    var sections: [(key: Key, rows: [UInt64])] = []

    mutating func apply(_ change: LiveSectionChange<Key, Object>) throws {
        let now = change.sections.map { (key: $0.key, rows: $0.objects.numbers) }
        defer { sections = now }
        if change.isReset { return }
        var model = sections
        let leaving = change.deletions + change.moves.map(\.from)
        let entering = change.insertions + change.moves.map(\.to)
        #expect(Set(leaving).count == leaving.count && Set(entering).count == entering.count)
        let moved = change.moves.map { ($0.to, sections[$0.from.section].rows[$0.from.index]) }
        for place in leaving.sorted(by: { ($0.section, $0.index) > ($1.section, $1.index) }) {
            model[place.section].rows.remove(at: place.index)
        }
        for index in change.sectionDeletions.reversed() { model.remove(at: index) }
        for index in change.sectionInsertions { model.insert(now[index], at: index) }
        let places =
            moved + change.insertions.map { ($0, now[$0.section].rows[$0.index]) }
        for (place, row) in places.sorted(by: {
            ($0.0.section, $0.0.index) < ($1.0.section, $1.0.index)
        }) {
            model[place.section].rows.insert(row, at: place.index)
        }
        #expect(model.map(\.key) == now.map(\.key) && model.map(\.rows) == now.map(\.rows))
        for place in change.updates {
            #expect(now[place.section].rows.indices.contains(place.index))
        }
    }
}

/// What a reader of a list in sections knows, and the view that it keeps.
struct SectionTable<Key: Equatable, Object: StoredObject> {
    private let source: SectionSource<Key, Object>
    private let reader = LiveReader()
    private var seen: [SectionSource<Key, Object>.Section] = []
    private(set) var model = SectionModel<Key, Object>()

    init(_ live: LiveSections<Key, Object>) {
        source = live.changes.source
        source.rows.add(reader)
    }

    /// Applies what has come.
    mutating func read() throws {
        source.rows.bringUpToDate()
        if let failure = source.rows.failure { throw failure }
        guard let taken = reader.takeEdits(source.rows) else { return }
        let found = source.find()
        let change = LiveSectionChange(
            taken, from: seen, to: source.sections(found), of: source)
        seen = found
        try model.apply(change)
    }
}
