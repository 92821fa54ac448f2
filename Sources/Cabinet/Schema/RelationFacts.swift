import CabinetBackend

/// What is declared of a relationship and does not show in records: the catalog keeps it for those
/// who look at a store without its classes.
struct RelationFacts: Codable, Hashable, Sendable {
    let name: String
    /// A ``DeleteRule``; text, so that a rule of later programs is no damage.
    var rule: String?
    /// `true`, or `nil`.
    var unique: Bool?
    /// The name of the relationship that leads back.
    var inverse: String?

    private var isEmpty: Bool { rule == nil && unique == nil && inverse == nil }

    /// Those of the relationships of `home` of which there is anything to say; `nil` if of none.
    ///
    /// What leads back from a class that is not registered now stays as it is `known`. A class
    /// that writes by hand leaves all of it.
    static func all(of home: StoredClass, known: [RelationFacts]?) -> [RelationFacts]? {
        guard home.isDeclared else { return known }
        let facts = home.fields.relations.map { relation in
            RelationFacts(
                name: relation.name, rule: relation.rule?.rawValue,
                unique: relation.isUnique ? true : nil,
                inverse: relation.target == nil
                    ? known?.first { $0.name == relation.name }?.inverse
                    : inverse(of: relation, home.context))
        }
        let told = facts.filter { !$0.isEmpty }
        return told.isEmpty ? nil : told
    }

    private static func inverse(of relation: RelationCoder, _ context: ObjectContext) -> String? {
        for case let other? in context.classesByNumber {
            if let inverse = relation.inverse(in: other) { return inverse.name }
        }
        return nil
    }
}
