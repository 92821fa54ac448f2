import CabinetBackend

extension Condition {
    /// Whether the target of a relationship to one is one of `targets`, or none of them; `nil` among them
    /// stands for no target. `nil` for a field that is no such relationship.
    static func targets(
        _ field: ClassFields.Field, _ relation: FieldRelation, _ targets: [TargetRow?],
        in fields: ClassFields
    ) -> Condition? {
        guard let form = field.targets, relation == .equal || relation == .notEqual else {
            return nil
        }
        let isEqual = relation == .equal
        let tests = targets.map { target in
            let test = FieldTest.target(field, form, isEqual: isEqual, target)
            guard form.mayDangle, let store = fields.storedClass.context as? Store else {
                return Condition.test(test)
            }
            return test.ofLoose(target, form, store, fields.storedClass)
        }
        return isEqual ? .some(tests) : .every(tests)
    }
}

extension FieldTest {
    /// The same test of a loose relationship, of which keys of indexes have targets that are gone: no object
    /// has such a target, and those that have its key are without one.
    fileprivate func ofLoose(
        _ target: TargetRow?, _ form: TargetForm, _ store: Store, _ storedClass: StoredClass
    ) -> Condition {
        if let target {
            guard store.isGone(target, form) else { return .test(self) }
            let limit = FieldLimit(field: field, kind: .equal([operand]), isWhole: false)
            return asked(relation == .equal ? limit : nil)
        }
        guard let gone = try? store.goneTargets(of: field, form, storedClass) else {
            return asked(nil)
        }
        if gone.isEmpty { return .test(self) }
        let values = ([nil] + gone.map { TargetRow?.some($0) }).map { $0 as Any }
        return asked(
            FieldLimit(
                field: field, kind: relation == .equal ? .equal(values) : .otherThan(values),
                isWhole: true))
    }

    /// The same test, for which indexes are asked by `limit`.
    private func asked(_ limit: FieldLimit?) -> Condition {
        .expression(
            Condition.Expression(
                text: Condition.test(self).description, needsObject: false, filter: filter,
                limit: limit, asksTarget: true))
    }
}
