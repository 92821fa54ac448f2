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

/// What the planner reckons with. The unit is a step of a scan.
final class PlannerCosts {
    /// What one row costs that an index names: looking its record up, where the scan passes over it.
    var lookUp = 4
    /// What it takes to ask an index for anything.
    var start = 8
}

extension Store {
    var plannerCosts: PlannerCosts { annex(PlannerCosts.self) { _ in PlannerCosts() } }

    /// Makes every query use an index that can answer it, whatever a scan would cost. For tests.
    package func preferIndexes() {
        plannerCosts.lookUp = 0
        plannerCosts.start = 0
    }
}
