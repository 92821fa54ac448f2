import CabinetBackend

extension Condition {
    /// Whether the target of a relationship to one is one of `targets`, or none of them; `nil` among them
    /// stands for no target. `nil` for a field that is no such relationship.
    static func targets(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ targets: [TargetRow?],
        in context: ObjectContext
    ) -> Condition? {
        guard let form = field.targets, relation == .equal || relation == .notEqual else {
            return nil
        }
        let isEqual = relation == .equal
        let mayDangle = form.mayDangle(in: context)
        let tests = targets.map { target in
            let test = FieldTest.target(field, form, isEqual: isEqual, target)
            return mayDangle ? test.askedOfAll : .test(test)
        }
        return isEqual ? .some(tests) : .every(tests)
    }
}

extension FieldTest {
    /// The same test of a relationship, where what indexes have of gone targets counts as none: of a target
    /// they name all objects and perhaps others, of none not all.
    fileprivate var askedOfAll: Condition {
        let isOfTarget = relation == .equal && !PlannedColumn.isNil(operand)
        return .expression(
            Condition.Expression(
                text: Condition.test(self).description, needsObject: false, filter: filter,
                limit: isOfTarget
                    ? FieldLimit(field: field, kind: .equal([operand]), isWhole: false) : nil))
    }
}
