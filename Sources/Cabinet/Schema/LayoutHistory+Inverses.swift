import CabinetBackend

// Which records can be trusted to know the other side of a relationship. A layout says which pairs
// of relationships were kept right while it was written. When a program that does not know a pair
// writes either class later, that time is over: the pair's era is raised, and records of earlier
// eras are completed again when they are read.

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
        guard home.isDeclared, let inverse = relation.inverse(in: other) else { return .kept }
        guard let fields = list.layout(number)?.fields,
            let entry = home.fields.entries.first(where: { $0.coder === relation }),
            let place = home.fields.source(of: entry, in: fields), fields[place].type.isRelation
        else { return .unknown }
        let wanted = Layout.Inverse(
            class: other.number, name: inverse.name, era: Self.era(relation, of: home, with: other))
        return fields[place].inverses?.contains(wanted) == true ? .kept : .told
    }

    /// The relationships of which records that bear `number` say nothing certain.
    func findUnkept(_ number: UInt16) -> [UnkeptRelation] {
        home.fields.relations.flatMap { relation in
            home.context.classes.compactMap { other -> UnkeptRelation? in
                guard let inverse = relation.inverse(in: other) else { return nil }
                let word = findWord(number, on: relation, with: other)
                if word == .kept { return nil }
                return UnkeptRelation(
                    relation: relation, other: other, inverse: inverse, word: word)
            }
        }
    }

    /// What leads back to `relation` of `home`; `nil` for nothing. From a class that is not
    /// registered now it stays as it is `known`, as nothing can come from there or go.
    static func inverses(
        of relation: RelationCoder, _ home: StoredClass, known: [Layout.Inverse]?
    ) -> [Layout.Inverse]? {
        let found = home.context.classes.compactMap { other in
            relation.inverse(in: other).map {
                Layout.Inverse(
                    class: other.number, name: $0.name, era: era(relation, of: home, with: other))
            }
        }
        let absent = (known ?? []).filter {
            home.context.classesByNumber[Int($0.class)] == nil
        }
        let all = (found + absent).sorted { $0.class < $1.class }
        return all.isEmpty ? nil : all
    }

    /// The era of a pair of relationships; `nil` for the first.
    private static func era(
        _ relation: RelationCoder, of home: StoredClass, with other: StoredClass
    ) -> Int? {
        let own = home.history?.interruptions(of: relation, with: other) ?? 0
        let others = relation.inverse(in: other).flatMap {
            other.history?.interruptions(of: $0, with: home)
        }
        let sum = own + (others ?? 0)
        return sum == 0 ? nil : sum
    }

    /// The pairs that other programs keep right in the present era, and this one does not: its
    /// next save of the class ends that.
    func findInterrupted(by current: [Layout.Field]?) -> Set<String> {
        let known = Set((current ?? []).flatMap { field in pairs(of: field).map(\.name) })
        var latest: [String: Int] = [:]
        for pair in list.layouts.flatMap({ $0.fields ?? [] }).flatMap(pairs) {
            latest[pair.name] = max(latest[pair.name] ?? 0, pair.era)
        }
        return Set(
            latest.filter { name, era in
                !known.contains(name) && era >= list.interruptions?[name] ?? 0
            }.keys)
    }

    private func pairs(of field: Layout.Field) -> [(name: String, era: Int)] {
        (field.inverses ?? []).compactMap { inverse in
            // Without the other class nothing of the pair can be changed.
            guard home.context.classesByNumber[Int(inverse.class)] != nil else { return nil }
            return (LayoutList.pair(field.name, inverse.class, inverse.name), inverse.era ?? 0)
        }
    }
}
