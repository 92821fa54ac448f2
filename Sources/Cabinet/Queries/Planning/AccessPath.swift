import CabinetBackend

/// How a query comes to the objects of one class.
enum AccessPath {
    /// By walking over all records.
    case scan
    /// By what an index says of the rows.
    case index(IndexScan)
}

/// What is asked of an index.
struct IndexScan {
    let index: ClassIndex
    let table: TableNumber
    /// Ranges of keys in their order, none of which overlap.
    let ranges: [KeyRange]
    /// Whether all objects of those keys meet the condition, and no other saved ones.
    let isExact: Bool
    /// How many keys lie in the ranges.
    let estimatedRows: Int
    /// What a plan says of the ranges.
    let text: String
}

/// What a query wants of the objects that it finds.
enum PathPurpose {
    /// Something of each record.
    case records
    /// Their rows.
    case rows
    /// How many there are.
    case count

    /// What each row costs that an index names.
    func cost(ofRow costs: PlannerCosts, isExact: Bool) -> Double {
        if costs.lookUp == 0 { return 0 }
        switch self {
        case .rows where isExact: return costs.entry
        case .count where isExact: return 0
        default: return Double(costs.lookUp)
        }
    }
}

/// What the planner reckons with. The unit is a step of a scan.
final class PlannerCosts {
    /// What one row costs that an index names: looking its record up, where the scan passes over it.
    var lookUp = 4
    /// What one row costs of which nothing else is wanted.
    let entry = 0.25
    /// What it takes to ask an index for anything.
    var start = 8

    /// What `count` rows cost at `ofRow` each.
    func cost(of count: Int, _ ofRow: Double) -> Int { start + Int(Double(count) * ofRow) }

    /// How many rows cost less than `cost`; below 0 if not even none do.
    func most(within cost: Int, _ ofRow: Double) -> Int {
        if ofRow == 0 { return cost > start || start == 0 ? .max : -1 }
        return cost > start ? Int(Double(cost - start) / ofRow) : -1
    }
}

extension Store {
    var plannerCosts: PlannerCosts { annex(PlannerCosts.self) { _ in PlannerCosts() } }

    /// Makes every query use an index that can answer it, whatever a scan would cost. For tests.
    package func preferIndexes() {
        plannerCosts.lookUp = 0
        plannerCosts.start = 0
    }
}
