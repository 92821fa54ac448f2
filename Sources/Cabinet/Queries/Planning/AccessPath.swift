import CabinetBackend

/// How a query comes to the objects of one class.
enum AccessPath {
    /// By walking over all records.
    case scan
    /// By the rows that indexes name.
    case rows(RowPlan)
    /// By the keys of an index, which say enough of the objects.
    case entries(EntryScan)
}

/// What is asked of one index.
struct IndexScan: ScanOfIndex {
    let span: IndexSpan
    /// The only key, of which the row is the value; `nil` if there may be others.
    var point: [UInt8]?
    /// How many keys lie in the ranges.
    let count: Int
    /// To how many objects the rows refer, if the ranges follow from that.
    var targets: Int?
}

/// The rows that indexes name for a condition: all that meet it, and, unless it is exact, others.
struct RowPlan {
    indirect enum Source {
        case index(IndexScan)
        /// Rows that any of the plans names.
        case union([RowPlan])
        /// Rows that all of the plans name.
        case intersection([RowPlan])
        /// Rows that a part of the condition names.
        case named(NamedRows)
    }

    let source: Source
    /// Whether all objects of those rows meet the condition.
    let isExact: Bool
    /// How many rows there are, or about as many.
    let estimatedRows: Int
    /// How many entries of indexes are read.
    let entries: Int

    /// How many saved rows there are, if that is known already.
    var knownCount: Int? {
        if case .index(let scan) = source, scan.point == nil { scan.count } else { nil }
    }
}

/// What a query wants of the objects that it finds.
enum PathPurpose {
    /// Something of each record.
    case records
    /// Their rows.
    case rows
    /// How many there are.
    case count
}

/// What the planner reckons with. The unit is a step of a scan over records as they usually are.
final class PlannerCosts {
    /// What one step of a scan costs: 1 unless records are reckoned to be dear.
    fileprivate(set) var step = 1.0
    /// What one row costs that an index names: looking its record up, where the scan passes over it.
    let lookUp = 4
    /// What one entry costs that is read before records are.
    let entry = 0.25
    /// What one row costs of which nothing else is wanted: reading it from an index, and putting it in
    /// order with others.
    let row = 2.0
    /// What it takes to count the keys of one range.
    let count = 40
    /// What it takes to ask an index for anything.
    let start = 8

    /// What one key costs of which values are read.
    let key = 0.5

    /// What it costs to pass over so many records.
    func scan(of records: Int) -> Double { Double(records) * step }

    /// How many objects are looked at by an index in vain before a scan of so many records is preferred: so
    /// many that all is not much slower than the scan alone.
    func mostInVain(besideScanOf records: Int) -> Int {
        Int(min(max(scan(of: records) / Double(lookUp * 6), 16), 1e15))
    }

    /// What it costs to answer by keys alone.
    func cost(of scan: EntryScan, for purpose: PathPurpose = .records) -> Double {
        // Rows come from an index in the order of its keys, from a scan in their own.
        Double(start) + Double(scan.count) * (purpose == .rows ? row : key)
    }

    /// What it costs to answer by `plan`.
    func cost(of plan: RowPlan, for purpose: PathPurpose) -> Double {
        if plan.isExact, purpose == .count, plan.knownCount != nil { return Double(start) }
        if plan.isExact, purpose != .records { return Double(start) + Double(plan.entries) * row }
        let entries = Double(start + plan.entries) * entry
        return Double(start) + entries + Double(plan.estimatedRows * lookUp)
    }
}

extension Store {
    var plannerCosts: PlannerCosts { annex(PlannerCosts.self) { _ in PlannerCosts() } }

    /// Reckons with records that are dear to pass over, so that queries use indexes wherever these help.
    package func reckonWithDearScans() { plannerCosts.step = 1e12 }
}
