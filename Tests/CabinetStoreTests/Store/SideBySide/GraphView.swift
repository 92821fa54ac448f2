import CabinetBackend
import Testing

@testable import Cabinet

/// What a store shows of cases, volumes, jackets and topics, as plain values.
struct GraphView: Equatable {
    struct VolumeRow: Equatable {
        var title = ""
        var seconds = 0
        var bookcase: RowID?
        var jacket: RowID?
    }

    struct BookcaseRow: Equatable {
        var title = ""
        var year = 0
        var topics: Set<RowID> = []
    }

    var volumes: [RowID: VolumeRow] = [:]
    var cases: [RowID: BookcaseRow] = [:]
    /// The lists of the cases, in order.
    var lists: [RowID: [RowID]] = [:]
    var topics: [RowID: String] = [:]
    var jackets: [RowID: String] = [:]

    init() {}

    /// What `store` shows. Both sides of each relationship are expected to agree.
    init(of store: Store, _ place: Comment) throws {
        for jacket in try store.objects(of: Jacket.self) { jackets[jacket.rowID] = jacket.name }
        for topic in try store.objects(of: Topic.self) { topics[topic.rowID] = topic.name }
        for volume in try store.objects(of: Volume.self) {
            volumes[volume.rowID] = VolumeRow(
                title: volume.title, seconds: volume.seconds, bookcase: volume.bookcase?.rowID,
                jacket: volume.jacket?.rowID)
            if let jacket = volume.jacket { #expect(jacket.volume === volume, place) }
            if let bookcase = volume.bookcase {
                #expect(bookcase.volumes.filter { $0 === volume }.count == 1, place)
            }
        }
        for bookcase in try store.objects(of: Bookcase.self) {
            let list = bookcase.volumes.map(\.rowID)
            cases[bookcase.rowID] = BookcaseRow(
                title: bookcase.title, year: bookcase.year,
                topics: Set(bookcase.topics.map(\.rowID)))
            lists[bookcase.rowID] = list
            #expect(bookcase.volumes.allSatisfy { $0.bookcase === bookcase }, place)
            #expect(bookcase.topics.allSatisfy { $0.cases.contains { $0 === bookcase } }, place)
            #expect(Set(list).count == list.count, place)
        }
        for topic in try store.objects(of: Topic.self) {
            #expect(topic.cases.allSatisfy { $0.topics.contains { $0 === topic } }, place)
        }
        for jacket in try store.objects(of: Jacket.self) {
            if let volume = jacket.volume { #expect(volume.jacket === jacket, place) }
        }
    }

    /// The same without the orders of lists, which follow from the volumes but for that.
    var withoutOrders: GraphView {
        var view = self
        view.lists = view.lists.mapValues { $0.sorted() }
        return view
    }

    /// What differs, as text: this view's value, then the other's.
    func difference(from other: GraphView) -> [String] {
        Self.difference("volume", volumes, other.volumes)
            + Self.difference("bookcase", cases, other.cases)
            + Self.difference("list", lists, other.lists)
            + Self.difference("topic", topics, other.topics)
            + Self.difference("jacket", jackets, other.jackets)
    }

    private static func difference<Row: Equatable>(
        _ kind: String, _ these: [RowID: Row], _ those: [RowID: Row]
    ) -> [String] {
        Set(these.keys).union(those.keys).sorted().compactMap { row in
            if these[row] == those[row] { return nil }
            let (one, other) = (these[row].map { "\($0)" }, those[row].map { "\($0)" })
            return "\(kind) \(row): \(one ?? "none"), not \(other ?? "none")"
        }
    }

    /// Makes of `saved`, by the rules of a merge, what it is once changes that led from `base` to
    /// this view are saved, too. Nothing that one side has deleted was changed by the other.
    func merged(into saved: GraphView, from base: GraphView) -> GraphView {
        var result = saved
        // A jacket has one volume, so one that gets it takes it from another.
        var taken: Set<RowID> = []
        for (row, volume) in volumes where volume.jacket != base.volumes[row]?.jacket {
            if let jacket = volume.jacket { taken.insert(jacket) }
        }
        for (row, volume) in result.volumes {
            if let jacket = volume.jacket, taken.contains(jacket) {
                result.volumes[row]?.jacket = nil
            }
        }
        Self.merge(volumes, base.volumes, &result.volumes) { mine, base, theirs in
            if mine.title != base.title { theirs.title = mine.title }
            if mine.seconds != base.seconds { theirs.seconds = mine.seconds }
            theirs.bookcase = Self.merge(mine.bookcase, base.bookcase, theirs.bookcase)
            theirs.jacket = Self.merge(mine.jacket, base.jacket, theirs.jacket)
        }
        Self.merge(cases, base.cases, &result.cases) { mine, base, theirs in
            if mine.title != base.title { theirs.title = mine.title }
            if mine.year != base.year { theirs.year = mine.year }
            theirs.topics = theirs.topics.union(mine.topics.subtracting(base.topics))
                .subtracting(base.topics.subtracting(mine.topics))
        }
        Self.merge(topics, base.topics, &result.topics) { mine, base, theirs in
            if mine != base { theirs = mine }
        }
        Self.merge(jackets, base.jackets, &result.jackets) { mine, base, theirs in
            if mine != base { theirs = mine }
        }
        result.lists = [:]
        for bookcase in result.cases.keys { result.lists[bookcase] = [] }
        for (row, volume) in result.volumes {
            if let bookcase = volume.bookcase { result.lists[bookcase, default: []].append(row) }
        }
        return result.withoutOrders
    }

    /// One that is in no relationship any more here stays in that which the others have put it
    /// into.
    private static func merge(_ mine: RowID?, _ base: RowID?, _ theirs: RowID?) -> RowID? {
        if mine == base { return theirs }
        return mine == nil && theirs != base ? theirs : mine
    }

    private static func merge<Row: Equatable>(
        _ mine: [RowID: Row], _ base: [RowID: Row], _ result: inout [RowID: Row],
        _ body: (Row, Row, inout Row) -> Void
    ) {
        for (row, value) in mine {
            guard let before = base[row] else {
                result[row] = value
                continue
            }
            if var found = result[row], value != before {
                body(value, before, &found)
                result[row] = found
            }
        }
        for row in base.keys where mine[row] == nil { result[row] = nil }
    }
}
