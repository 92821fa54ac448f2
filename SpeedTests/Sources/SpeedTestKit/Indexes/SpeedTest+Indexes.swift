import CRivals

extension SpeedTest {
    /// The tests of `IndexTest`: indexes of objects beside SQLite's.
    static let indexes =
        indexBuildings + indexInsertions + indexQueries + indexSaves + indexOpenings

    private static let two: [Engine] = [.cabinet, .sqlite]

    private static let indexBuildings = [
        building(
            "Index.buildTitle",
            Work(cabinet: IndexWork.build(.title), sqlite: sqlite_index_titles),
            Work(
                cabinet: IndexWork.walk(.title, by: .ascending(\.title)),
                sqlite: sqlite_walk_titles)),
        building(
            "Index.buildNumber",
            Work(cabinet: IndexWork.build(.code), sqlite: sqlite_index_codes),
            Work(
                cabinet: IndexWork.walk(.code, by: .ascending(\.code)), sqlite: sqlite_walk_codes)),
    ]

    private static func building(_ name: String, _ work: Work, _ check: Work) -> SpeedTest {
        SpeedTest(
            name: name, unit: "song", things: "songs in random order", preparation: .insertCatalog,
            work: work, expected: Expected.first, engines: two, check: (check, Expected.all))
    }

    private static let indexInsertions = [
        insertion("Index.insert", sqlite_insert_indexed_catalog),
        insertion("Index.insertIndexLater", sqlite_insert_catalog_then_index),
    ]

    private static func insertion(_ name: String, _ rival: @escaping Work.RivalCall) -> SpeedTest {
        SpeedTest(
            name: name, unit: "song", things: "songs with two indexes",
            work: Work(cabinet: IndexWork.insert(.titleAndCode), sqlite: rival),
            expected: Expected.all, engines: two,
            check: (
                Work(
                    cabinet: IndexWork.walk(.titleAndCode, by: .ascending(\.title)),
                    sqlite: sqlite_walk_titles), Expected.all
            ))
    }

    private static let indexQueries = [
        query(
            "Index.fetch", "fetch", 0.1, IndexWork.fetchCoded, sqlite_fetch_coded, Expected.steps),
        query(
            "Index.ranges", "range", 0.001, IndexWork.fetchRanges, sqlite_fetch_ranges,
            Expected.rangesOfRows),
        query(
            "Index.rangeRows", "range", 0.001, IndexWork.fetchRangeRows, sqlite_fetch_range_rows,
            Expected.rangesOfRows),
        query(
            "Index.count", "count", 0.0001, IndexWork.countRanges, sqlite_count_ranges,
            Expected.counts),
        query(
            "Index.offset", "page", 0.0001, IndexWork.fetchPages, sqlite_fetch_pages,
            Expected.pages),
        query(
            "Index.first", "page", 0.001, IndexWork.fetchFirstByTitle, sqlite_fetch_first_by_title,
            Expected.firstPages),
        query(
            "Index.scan", "scan", 1e-9, IndexWork.scan, sqlite_scan_catalog, Expected.artists,
            .insertCatalog, "catalog"),
        query(
            "Index.and", "query", 1e-5, IndexWork.intersect, sqlite_intersect_groups,
            Expected.intersections, .insertGroupedCatalog, "catalog, grouped"),
    ]

    private static func query(
        _ name: String, _ unit: String, _ share: Double, _ ours: @escaping Work.CabinetCall,
        _ rival: @escaping Work.RivalCall, _ expected: @escaping @Sendable (Job) -> Proof,
        _ preparation: Work = .insertIndexedCatalog, _ stock: String = "catalog, indexed"
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: unit, things: "songs in random order", stepShare: share,
            preparation: preparation, stock: stock, work: Work(cabinet: ours, sqlite: rival),
            expected: expected, engines: two)
    }

    private static let indexSaves = [
        save("Index.saveWithout", .none, .insertCatalog),
        save("Index.save", .code, .insertCodedCatalog),
        save("Index.saveArranged", .arranged, .insertArrangedCatalog),
    ]

    private static func save(
        _ name: String, _ indexing: CatalogSong.Indexing, _ preparation: Work
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: "save", things: "songs", stepShare: 0.01, isFull: false,
            preparation: preparation,
            work: Work(cabinet: IndexWork.saveCodes(indexing), sqlite: sqlite_save_codes),
            expected: Expected.steps, engines: two)
    }

    private static let indexOpenings = [
        opening("Index.openWithout", .none, .insertCatalog, "catalog"),
        opening("Index.open", .titleAndCode, .insertIndexedCatalog, "catalog, indexed"),
    ]

    private static func opening(
        _ name: String, _ indexing: CatalogSong.Indexing, _ preparation: Work, _ stock: String
    ) -> SpeedTest {
        SpeedTest(
            name: name, unit: "opening", things: "songs", preparation: preparation, stock: stock,
            work: Work(cabinet: IndexWork.open(indexing), sqlite: sqlite_open_catalog),
            expected: Expected.first, engines: two)
    }
}

extension Work {
    static let insertCatalog = Work(
        cabinet: IndexWork.insert(.none), sqlite: sqlite_insert_catalog)
    static let insertIndexedCatalog = Work(
        cabinet: IndexWork.insert(.titleAndCode), sqlite: sqlite_insert_catalog_then_index)
    static let insertCodedCatalog = Work(
        cabinet: IndexWork.insert(.code), sqlite: sqlite_insert_coded_catalog)
    static let insertArrangedCatalog = Work(
        cabinet: IndexWork.insert(.arranged), sqlite: sqlite_insert_coded_catalog)
    static let insertGroupedCatalog = Work(
        cabinet: IndexWork.insert(.groups), sqlite: sqlite_insert_grouped_catalog)
}
