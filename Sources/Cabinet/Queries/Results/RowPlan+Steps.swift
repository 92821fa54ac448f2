extension RowPlan {
    /// The steps that name the rows of a class.
    /// - Parameter rows: how many rows the last of them left; `nil` if it did not run.
    func steps(of className: String, rows: Int?) -> [QueryPlan.Step] {
        switch source {
        case .named(let named):
            [.init(action: named.action, estimatedRows: estimatedRows, rows: rows)]
        case .index(let scan):
            [
                .init(
                    action: .index(
                        name: scan.index.name, className: className, range: scan.text,
                        isInOrder: false), estimatedRows: estimatedRows, rows: rows)
            ]
        case .union(let parts):
            parts.flatMap { $0.steps(of: className, rows: nil) } + [
                .init(action: .unite(parts.count), estimatedRows: estimatedRows, rows: rows)
            ]
        case .intersection(let parts):
            parts.flatMap { $0.steps(of: className, rows: nil) } + [
                .init(action: .intersect(parts.count), estimatedRows: estimatedRows, rows: rows)
            ]
        }
    }
}

extension IndexScan {
    fileprivate var text: String { targets.map { "of \($0) targets" } ?? limits.text }
}
