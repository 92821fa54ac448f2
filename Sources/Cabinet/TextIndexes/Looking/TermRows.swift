import CabinetBackend

/// Finds by a text index the rows in which something stands that a search looks for: more than those that
/// it finds, as nothing but the terms is asked.
struct TermRows {
    private let snapshot: TextSnapshot

    init(_ snapshot: TextSnapshot) { self.snapshot = snapshot }

    /// The rows that the segments have all terms of one of the lists for.
    func rows(_ alternatives: [[TermPattern]]) throws -> Set<RowID> {
        var rows = Set<RowID>()
        for patterns in alternatives {
            var common: Set<RowID>?
            for pattern in patterns {
                let found = try self.rows(of: pattern)
                common = common.map { $0.intersection(found) } ?? found
                if common?.isEmpty == true { break }
            }
            rows.formUnion(common ?? [])
        }
        return rows
    }

    private func rows(of pattern: TermPattern) throws -> Set<RowID> {
        var rows = Set<RowID>()
        func add(_ stem: [UInt8]) throws {
            try snapshot.forEachPosting(in: KeyRange(prefix: stem)) { entry in
                for row in entry.postings.rows { rows.insert(RowID(row)) }
                return true
            }
        }
        switch pattern.kind {
        case .exact: try add(pattern.term.withUnsafeBytes { TextKeys.postings(of: $0) })
        case .prefix: try add(pattern.term.withUnsafeBytes { TextKeys.postings(ofPrefix: $0) })
        case .suffix, .infix, .fuzzy:
            var terms = Set<[UInt8]>()
            var test = TermTest(pattern)
            try snapshot.forEachListedTerm { _, term, _ in
                if test.cost(of: term) != nil { terms.insert(Array(term)) }
            }
            for term in terms { try add(term.withUnsafeBytes { TextKeys.postings(of: $0) }) }
        }
        return rows
    }
}
