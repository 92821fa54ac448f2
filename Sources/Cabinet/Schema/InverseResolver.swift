import CabinetBackend

/// Brings both sides of relationships together, of which one names the other.
struct InverseResolver {
    let storedClasses: [StoredClass]

    init(_ context: ObjectContext) { storedClasses = context.classesByNumber.compactMap { $0 } }

    /// - Throws: ``StoreError/badInverse(class:field:reason:)``
    func resolve() throws(StoreError) {
        for storedClass in storedClasses {
            for relation in storedClass.fields.relations {
                guard let keyPath = relation.inverseKeyPath else { continue }
                for other in storedClasses where relation.accepts(other) {
                    try connect(relation, of: storedClass, keyPath, other)
                }
            }
        }
    }

    private func connect(
        _ relation: RelationCoder, of storedClass: StoredClass, _ keyPath: AnyKeyPath,
        _ other: StoredClass
    ) throws(StoreError) {
        func refuse(_ reason: String) -> StoreError {
            .badInverse(class: storedClass.name, field: relation.name, reason: reason)
        }
        guard let inverse = other.fields.relation(at: keyPath, of: other.type) else {
            throw refuse("it is no relationship of \(other.name)")
        }
        guard inverse.accepts(storedClass) else {
            throw refuse(
                "'\(inverse.name)' of \(other.name) does not lead back to \(storedClass.name)")
        }
        if let known = inverse.inverse(in: storedClass), known !== relation {
            throw refuse(
                "'\(inverse.name)' of \(other.name) is the inverse of '\(known.name)' already")
        }
        if let known = relation.inverse(in: other), known !== inverse {
            throw refuse("it is the inverse of '\(known.name)' of \(other.name) already")
        }
        relation.setInverse(inverse, in: other)
        inverse.setInverse(relation, in: storedClass)
    }
}
