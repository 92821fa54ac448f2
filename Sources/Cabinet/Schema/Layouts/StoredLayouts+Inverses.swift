import CabinetBackend

// Which records can be trusted to know the other side of a relationship. A layout says which pairs
// were kept right while it was written. When a program that does not know a pair writes either
// class later, the pair's interruption is raised, and earlier records are completed again when they
// are read.

extension StoredLayouts {
    func countInterruptions(of relation: RelationCoder, with other: StoredClass) -> Int {
        guard let inverse = relation.inverse(in: other), let index = index(of: relation) else {
            return 0
        }
        return countInterruptions(
            [relation.name] + claims[index].formerNames, other.number, inverse.name)
    }

    private func index(of relation: RelationCoder) -> Int? {
        storedClass.isDeclared
            ? storedClass.fields.entries.firstIndex { $0.coder === relation } : nil
    }

    func findWord(
        _ number: UInt16, on relation: RelationCoder, with other: StoredClass
    ) -> RelationWord {
        // A class that writes its relationships by hand reads them by hand.
        guard storedClass.isDeclared, let inverse = relation.inverse(in: other) else {
            return .maintained
        }
        guard let fields = list.layout(number)?.fields,
            let index = index(of: relation), let position = source(of: index, in: fields),
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

    /// What leads back to `relation`; `nil` for nothing. From an unregistered class it stays as
    /// `known`, as nothing can come from there or go.
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
        let all = (found + absent).inOrder { $0.class < $1.class }
        return all.isEmpty ? nil : all
    }

    /// The interruption of a pair of relationships; `nil` for the first.
    private static func interruption(
        _ relation: RelationCoder, of storedClass: StoredClass, with other: StoredClass
    ) -> Int? {
        let own = storedClass.layouts?.interruptions(of: relation, with: other) ?? 0
        let others = relation.inverse(in: other).flatMap {
            other.layouts?.interruptions(of: $0, with: storedClass)
        }
        let sum = own + (others ?? 0)
        return sum == 0 ? nil : sum
    }

    /// The pairs that other programs keep right and this one does not, each with the number of the
    /// interruption that its next save of the class begins.
    func findInterrupted(by current: [Layout.Field]?) -> [String: Int] {
        let known = Set((current ?? []).flatMap { field in pairs(of: field).map(\.name) })
        var latest: [String: Pair] = [:]
        for pair in list.layouts.flatMap({ $0.fields ?? [] }).flatMap(pairs)
        where pair.interruption >= latest[pair.name]?.interruption ?? 0 {
            latest[pair.name] = pair
        }
        return latest.filter { name, pair in
            !known.contains(name) && pair.interruption >= pair.count
        }.mapValues { $0.count + 1 }
    }

    private struct Pair {
        /// As this program calls it.
        let name: String
        /// The interruptions by the time of a layout.
        let interruption: Int
        /// Those by now.
        let count: Int
    }

    private func pairs(of field: Layout.Field) -> [Pair] {
        let present = claims.firstIndex { field.isSame(identities: $0.identities) }
        let name = present.map { storedClass.fields.entries[$0].name } ?? field.name
        let former = present.map { claims[$0].formerNames } ?? []
        return (field.inverses ?? []).compactMap { inverse in
            // Without the other class nothing of the pair can be changed.
            guard storedClass.context.classesByNumber[Int(inverse.class)] != nil else { return nil }
            return Pair(
                name: LayoutList.pair(name, inverse.class, inverse.name),
                interruption: inverse.interruption ?? 0,
                count: countInterruptions([name] + former, inverse.class, inverse.name))
        }
    }

    /// Earlier programs have counted under the relationship's name at that time.
    private func countInterruptions(
        _ names: [String], _ other: UInt8, _ inverse: String
    ) -> Int {
        names.reduce(0) { most, name in
            max(most, list.interruptions?[LayoutList.pair(name, other, inverse)] ?? 0)
        }
    }
}
