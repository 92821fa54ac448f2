import CabinetBackend

/// What is declared of a relationship and does not show in records: the catalog keeps it for
/// programs that read a store without its classes.
struct RelationFacts: Hashable, Sendable {
    let name: String
    /// A ``DeleteRule``; text, so that a rule of later programs is no damage.
    var rule: String?
    /// `true`, or `nil`.
    var unique: Bool?
    /// The name of the relationship that leads back.
    var inverse: String?
    /// `true` if the rule keeps it right, and records may be older than the rule; or `nil`.
    var wasLoose: Bool?

    private var isEmpty: Bool { rule == nil && unique == nil && inverse == nil }

    /// Those of the relationships of `storedClass` of which there is anything to say; `nil` if of
    /// none. What leads back from an unregistered class stays as in `list`, and all of it for a
    /// class that writes by hand.
    static func all(
        of storedClass: StoredClass, _ claims: [FieldClaims.Claim], in list: LayoutList
    ) -> [RelationFacts]? {
        guard storedClass.isDeclared else { return list.relations }
        let last = list.layouts.last { $0.fields != nil }?.fields
        let facts = zip(storedClass.fields.entries, claims).compactMap {
            entry, claim -> RelationFacts? in
            guard let relation = entry.coder as? RelationCoder else { return nil }
            // Under the name of the program that wrote them last.
            let names =
                [last?.first { $0.isSame(identities: claim.identities) }?.name, entry.name]
                .compactMap { $0 } + claim.formerNames
            let known = names.lazy.compactMap { name in
                list.relations?.first { $0.name == name }
            }.first
            return RelationFacts(
                name: entry.name, rule: relation.rule?.rawValue,
                unique: relation.isUnique ? true : nil,
                inverse: inverse(of: relation, storedClass.context)
                    ?? (relation.target == nil ? known?.inverse : nil),
                wasLoose: wasLoose(claim, relation, known, list) ? true : nil)
        }
        let declared = facts.filter { !$0.isEmpty }
        return declared.isEmpty ? nil : declared
    }

    /// Whether records of `list` may have the relationship from before a rule kept it right. An
    /// inverse sees to that itself.
    private static func wasLoose(
        _ claim: FieldClaims.Claim, _ relation: RelationCoder, _ known: RelationFacts?,
        _ list: LayoutList
    ) -> Bool {
        guard relation.rule == .nullify, relation.inverseKeyPath == nil else { return false }
        if let known, known.rule == DeleteRule.nullify.rawValue { return known.wasLoose == true }
        return list.layouts.contains { layout in
            guard let fields = layout.fields else { return true }
            return fields.contains { $0.isSame(identities: claim.identities) }
        }
    }

    private static func inverse(of relation: RelationCoder, _ context: ObjectContext) -> String? {
        for case let other? in context.classesByNumber {
            if let inverse = relation.inverse(in: other) { return inverse.name }
        }
        return nil
    }
}
