import CabinetBackend

/// The rows of the only objects that meet a part of a condition, found by something else than indexes of the
/// class: by a search.
final class NamedRows {
    /// In ascending order, each once.
    let rows: [RowID]
    /// What found them, as a plan shows it.
    let action: QueryPlan.Step.Action

    init(_ rows: [RowID], by action: QueryPlan.Step.Action) {
        (self.rows, self.action) = (rows, action)
    }

    /// Whether `row` is one of them.
    func contains(_ row: RowID) -> Bool {
        let place = rows.partitioningIndex { $0 >= row }
        return place < rows.count && rows[place] == row
    }
}

extension Condition {
    /// Being one of some objects.
    /// - Parameter text: what a plan says of that.
    static func rows(_ rows: NamedRows, text: String) -> Condition {
        .expression(
            Expression(
                text: text, needsObject: false,
                filter: ClosureFilter { rows.contains($0.row) }, rows: rows))
    }

    /// Whether a part of it names rows.
    var namesRows: Bool {
        conjuncts.contains { part in
            if case .expression(let expression) = part { expression.rows != nil } else { false }
        }
    }
}
