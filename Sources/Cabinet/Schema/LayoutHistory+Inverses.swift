import CabinetBackend

// Which records can be trusted to know the other side of a relationship. A layout says which pairs
// of relationships were kept right while it was written. When a program that does not know a pair
// writes either class later, that time is over: the pair's interruption is raised, and records of
// earlier interruptions are completed again when they are read.

extension LayoutHistory {
    func countInterruptions(of relation: RelationCoder, with other: StoredClass) -> Int {
        guard let inverse = relation.inverse(in: other) else { return 0 }
        return list.interruptions?[
            LayoutList.pair(relation.name, other.number, inverse.name)] ?? 0
    }

    func findWord(
        _ number: UInt16, on relation: RelationCoder, with other: StoredClass
    ) -> RelationWord {
        // A class that writes its relationships by hand reads them by hand.
        guard storedClass.isDeclared, let inverse = relation.inverse(in: other) else {
            return .maintained
        }
        guard let fields = list.layout(number)?.fields,
            let entry = storedClass.fields.entries.first(where: { $0.coder === relation }),
            let position = storedClass.fields.source(of: entry, in: fields),
            fields[position].type.isRelation
        else { return .unknown }
        let wanted = Layout.Inverse(
            class: other.number, name: inverse.name,
            interruption: Self.interruption(relation, of: storedClass, with: other))
        return fields[position].inverses?.contains(wanted) == true ? .maintained : .unmaintained
    }

    /// The relationships of which records that bear `number` say nothing certain.
    func findUnkept(_ number: UInt16) -> [UnkeptRelation] {
        storedClass.fields.relations.flatMap { relation in
            storedClass.context.classes.compactMap { other -> UnkeptRelation? in
                guard let inverse = relation.inverse(in: other) else { return nil }
                let word = findWord(number, on: relation, with: other)
                if word == .maintained { return nil }
                return UnkeptRelation(
                    relation: relation, other: other, inverse: inverse, word: word)
            }
        }
    }

    /// What leads back to `relation` of `storedClass`; `nil` for nothing. From a class that is not
    /// registered now it stays as it is `known`, as nothing can come from there or go.
    static func inverses(
        of relation: RelationCoder, _ storedClass: StoredClass, known: [Layout.Inverse]?
    ) -> [Layout.Inverse]? {
        let found = storedClass.context.classes.compactMap { other in
            relation.inverse(in: other).map {
                Layout.Inverse(
                    class: other.number, name: $0.name,
                    interruption: interruption(relation, of: storedClass, with: other))
            }
        }
        let absent = (known ?? []).filter {
            storedClass.context.classesByNumber[Int($0.class)] == nil
        }
        let all = (found + absent).sorted { $0.class < $1.class }
        return all.isEmpty ? nil : all
    }

    /// The interruption of a pair of relationships; `nil` for the first.
    private static func interruption(
        _ relation: RelationCoder, of storedClass: StoredClass, with other: StoredClass
    ) -> Int? {
        let own = storedClass.history?.interruptions(of: relation, with: other) ?? 0
        let others = relation.inverse(in: other).flatMap {
            other.history?.interruptions(of: $0, with: storedClass)
        }
        let sum = own + (others ?? 0)
        return sum == 0 ? nil : sum
    }

    /// The pairs that other programs keep right in the present interruption, and this one does not:
    /// its next save of the class ends that.
    func findInterrupted(by current: [Layout.Field]?) -> Set<String> {
        let known = Set((current ?? []).flatMap { field in pairs(of: field).map(\.name) })
        var latest: [String: Int] = [:]
        for pair in list.layouts.flatMap({ $0.fields ?? [] }).flatMap(pairs) {
            latest[pair.name] = max(latest[pair.name] ?? 0, pair.interruption)
        }
        return Set(
            latest.filter { name, interruption in
                !known.contains(name) && interruption >= list.interruptions?[name] ?? 0
            }.keys)
    }

    private func pairs(of field: Layout.Field) -> [(name: String, interruption: Int)] {
        (field.inverses ?? []).compactMap { inverse in
            // Without the other class nothing of the pair can be changed.
            guard storedClass.context.classesByNumber[Int(inverse.class)] != nil else { return nil }
            return (
                LayoutList.pair(field.name, inverse.class, inverse.name), inverse.interruption ?? 0
            )
        }
    }
}
