import CabinetBackend

/// A condition on objects that a relationship leads to: an object meets it if one of its targets meets
/// what is asked of these.
struct TargetCondition {
    /// The name of the relationship.
    let relation: String
    /// The classes of a store whose objects may stand in the relationship.
    let targets: (Store) throws -> [StoredClass]
    /// What is asked of a target of the class of such fields; `nil` if only the object can be asked.
    let condition: (ClassFields) -> Condition?
}

extension TargetCondition {
    /// - Parameter target: the class that the relationship leads to, or to a subclass.
    init(
        relation: String, target: StoredObject.Type,
        condition: @escaping (ClassFields) -> Condition?
    ) {
        self.init(
            relation: relation,
            targets: {
                try $0.classesToScan(target, includingSubclasses: true) { $0.isKind(of: target) }
            }, condition: condition)
    }
}

extension Condition {
    /// Being the object in a row.
    static func row(_ row: RowID) -> Condition {
        .expression(
            Expression(
                text: "row = \(row)", needsObject: false,
                filter: ClosureFilter { $0.row == row }, row: row))
    }
}
