import Cabinet
import Foundation

private typealias Build = PredicateExpressions

extension RandomCondition {
    /// A condition of some parts, each of which may be one of any kind.
    static func random(_ random: inout SeededRandom, depth: Int = 3) -> RandomCondition {
        if depth == 0 || random.once(in: 3) { return part(&random) }
        func next() -> RandomCondition { Self.random(&random, depth: depth - 1) }
        switch random.below(8) {
        case 0, 1, 2: return next().and(next())
        case 3, 4: return next().or(next())
        case 5, 6: return next().negated
        default: return next().choosing(next(), next())
        }
    }

    private static func part(_ random: inout SeededRandom) -> RandomCondition {
        switch random.below(18) {
        case 0:
            return FieldMaker(
                name: "title", path: \.title, plain: { $0.title }, pool: SpecimenPools.texts
            ).random(&random)
        case 1:
            return FieldMaker(
                name: "year", path: \.year, plain: { $0.year }, pool: SpecimenPools.years
            ).random(&random)
        case 2:
            return FieldMaker(
                name: "rating", path: \.rating, plain: { $0.rating }, pool: SpecimenPools.ratings
            ).random(&random)
        case 3:
            return FieldMaker(
                name: "code", path: \.code, plain: { $0.code }, pool: SpecimenPools.codes
            ).random(&random)
        case 4:
            return FieldMaker(
                name: "weight", path: \.weight, plain: { $0.weight }, pool: SpecimenPools.weights
            ).random(&random)
        case 5:
            return FieldMaker(
                name: "score", path: \.score, plain: { $0.score }, pool: SpecimenPools.scores
            ).random(&random)
        case 6:
            return FieldMaker(
                name: "tempo", path: \.tempo, plain: { $0.tempo }, pool: SpecimenPools.tempos
            ).random(&random)
        case 7:
            return FieldMaker(
                name: "released", path: \.released, plain: { $0.released },
                pool: SpecimenPools.dates
            ).random(&random)
        case 8:
            return FieldMaker(
                name: "price", path: \.price, plain: { $0.price }, pool: SpecimenPools.prices
            ).random(&random)
        case 9:
            return OptionalMaker(
                name: "subtitle", path: \.subtitle, plain: { $0.subtitle },
                pool: SpecimenPools.texts
            ).random(&random)
        case 10:
            return OptionalMaker(
                name: "plays", path: \.plays, plain: { $0.plays }, pool: SpecimenPools.plays
            ).random(&random)
        case 11:
            return OptionalMaker(
                name: "level", path: \.level, plain: { $0.level }, pool: SpecimenPools.scores
            ).random(&random)
        case 12:
            return OptionalMaker(
                name: "seen", path: \.seen, plain: { $0.seen }, pool: SpecimenPools.dates
            ).random(&random)
        case 13: return text(&random)
        case 14: return list(&random)
        case 15: return reference(&random)
        case 16: return property(&random)
        default: return other(&random)
        }
    }

    private static func text(_ random: inout SeededRandom) -> RandomCondition {
        let part = SpecimenPools.texts[random.below(SpecimenPools.texts.count)]
        if random.once(in: 2) {
            return RandomCondition(
                expression: {
                    Build.build_contains(
                        Build.build_KeyPath(root: $0, keyPath: \.title), Build.build_Arg(part))
                }, holds: { contains($0.title, part) })
        }
        return RandomCondition(
            expression: {
                Build.build_starts(
                    Build.build_KeyPath(root: $0, keyPath: \.title), with: Build.build_Arg(part))
            }, holds: { $0.title.starts(with: part) })
    }

    /// Whether characters of `text` that stand together are those of `part`.
    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text), Array(part))
        guard text.count >= part.count else { return false }
        return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
    }

    private static func list(_ random: inout SeededRandom) -> RandomCondition {
        let tag = SpecimenPools.texts[random.below(SpecimenPools.texts.count)]
        if random.once(in: 2) {
            return RandomCondition(
                expression: {
                    Build.build_contains(
                        Build.build_KeyPath(root: $0, keyPath: \.tags), Build.build_Arg(tag))
                }, holds: { $0.tags.contains(tag) }, text: ("tags CONTAINS ?", [tag]))
        }
        let count = random.below(3)
        return RandomCondition(
            expression: {
                Build.build_Equal(
                    lhs: Build.build_KeyPath(
                        root: Build.build_KeyPath(root: $0, keyPath: \.tags), keyPath: \.count),
                    rhs: Build.build_Arg(count))
            }, holds: { $0.tags.count == count })
    }

    private static func reference(_ random: inout SeededRandom) -> RandomCondition {
        let name: String? = SpecimenPools.sources[random.below(SpecimenPools.sources.count)]
        if random.once(in: 3) { return friends(name ?? "") }
        if random.once(in: 2) {
            return RandomCondition(
                expression: {
                    Build.build_Equal(
                        lhs: Build.build_KeyPath(root: $0, keyPath: \.source),
                        rhs: Build.build_NilLiteral())
                }, holds: { $0.source == nil })
        }
        return RandomCondition(
            expression: {
                Build.build_Equal(
                    lhs: Build.build_flatMap(Build.build_KeyPath(root: $0, keyPath: \.source)) {
                        Build.build_KeyPath(root: $0, keyPath: \.name)
                    }, rhs: Build.build_Arg(name))
            }, holds: { $0.source == name })
    }

    /// One that is no field, or takes something else into account.
    private static func property(_ random: inout SeededRandom) -> RandomCondition {
        let title = SpecimenPools.texts[random.below(SpecimenPools.texts.count)] + "!"
        let year = SpecimenPools.years[random.below(SpecimenPools.years.count)]
        if random.once(in: 2) {
            return RandomCondition(
                expression: {
                    Build.build_Equal(
                        lhs: Build.build_KeyPath(root: $0, keyPath: \.loudTitle),
                        rhs: Build.build_Arg(title))
                }, holds: { $0.title + "!" == title })
        }
        return RandomCondition(
            expression: {
                Build.build_Comparison(
                    lhs: Build.build_Arithmetic(
                        lhs: Build.build_KeyPath(root: $0, keyPath: \.year),
                        rhs: Build.build_Arg(1), op: .add), rhs: Build.build_Arg(year),
                    op: .greaterThan)
            }, holds: { $0.year + 1 > year })
    }

    /// One of the members of a relationship has a name.
    private static func friends(_ name: String) -> RandomCondition {
        RandomCondition(
            expression: {
                Build.build_contains(Build.build_KeyPath(root: $0, keyPath: \.friends)) {
                    Build.build_Equal(
                        lhs: Build.build_KeyPath(root: $0, keyPath: \.name),
                        rhs: Build.build_Arg(name))
                }
            }, holds: { $0.friends.contains(name) })
    }

    private static func other(_ random: inout SeededRandom) -> RandomCondition {
        let number = SpecimenPools.numbers[random.below(SpecimenPools.numbers.count)]
        let kind = SpecimenKind.allCases[random.below(SpecimenKind.allCases.count)]
        let bytes = SpecimenPools.bytes[random.below(SpecimenPools.bytes.count)]
        switch random.below(4) {
        case 0:
            return RandomCondition(
                expression: { Build.build_KeyPath(root: $0, keyPath: \.isLive) },
                holds: { $0.isLive }, text: ("isLive", []))
        case 1:
            return RandomCondition(
                expression: {
                    Build.build_Equal(
                        lhs: Build.build_KeyPath(root: $0, keyPath: \.number),
                        rhs: Build.build_Arg(number))
                }, holds: { $0.number == number }, text: ("number = ?", [number]))
        case 2:
            return RandomCondition(
                expression: {
                    Build.build_NotEqual(
                        lhs: Build.build_KeyPath(root: $0, keyPath: \.kind),
                        rhs: Build.build_Arg(kind))
                }, holds: { $0.kind != kind }, text: ("kind != ?", [kind.rawValue]))
        default:
            return RandomCondition(
                expression: {
                    Build.build_Equal(
                        lhs: Build.build_KeyPath(root: $0, keyPath: \.bytes),
                        rhs: Build.build_Arg(bytes))
                }, holds: { $0.bytes == bytes }, text: ("bytes = ?", [bytes]))
        }
    }
}
