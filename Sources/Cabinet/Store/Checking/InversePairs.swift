import CabinetBackend

/// Which relationships are each other's inverse, and which records were written while both were
/// kept right, as far as the catalog tells. `Sendable`: a value, as the catalog was when it was
/// read.
struct InversePairs: Hashable, Sendable {
    /// One relationship of a pair: a field of one class, towards objects of another.
    struct Side: Hashable, Sendable {
        let classNumber: UInt8
        let field: String
        let target: UInt8
        let inverse: String

        /// The same pair, seen from the target.
        var opposite: Side {
            Side(classNumber: target, field: inverse, target: classNumber, inverse: field)
        }
    }

    private struct LayoutKey: Hashable {
        let classNumber: UInt8
        let number: UInt16
    }

    /// Both sides of each pair.
    let sides: [Side]
    private let indices: [Side: Int]
    private let kept: [LayoutKey: Set<Int>]

    /// A class whose entry in the catalog cannot be understood is left out.
    /// - Throws: a ``BackendError``.
    init(_ backend: any Backend) throws {
        var lists: [UInt8: LayoutList] = [:]
        let layouts = try CatalogLayouts(backend)
        for table in try backend.tables() where table.kind == .record {
            lists[table.classNumber] =
                try? layouts.saved(ofClass: table.classNumber, named: table.name)?.list
        }
        var keepers: [Side: [LayoutKey]] = [:]
        for (number, list) in lists {
            for layout in list.layouts {
                let key = LayoutKey(classNumber: number, number: layout.number)
                for field in layout.fields ?? [] {
                    for inverse in field.inverses ?? [] {
                        let side = Side(
                            classNumber: number, field: list.latestName(of: field),
                            target: inverse.class,
                            inverse: lists[inverse.class]?.latestName(inverse.name) ?? inverse.name)
                        guard inverse.interruption ?? 0 == Self.interruption(of: side, lists) else {
                            continue
                        }
                        keepers[side, default: []].append(key)
                    }
                }
            }
        }
        let whole = keepers.keys.filter { keepers[$0.opposite] != nil }
        sides = whole.sorted {
            ($0.classNumber, $0.field, $0.target, $0.inverse)
                < ($1.classNumber, $1.field, $1.target, $1.inverse)
        }
        indices = Dictionary(uniqueKeysWithValues: zip(sides, sides.indices))
        var kept: [LayoutKey: Set<Int>] = [:]
        for (index, side) in sides.enumerated() {
            for key in keepers[side] ?? [] { kept[key, default: []].insert(index) }
        }
        self.kept = kept
    }

    /// How often programs that did not know the pair have written one of its classes.
    private static func interruption(of side: Side, _ lists: [UInt8: LayoutList]) -> Int {
        [side, side.opposite].reduce(0) { sum, side in
            return sum
                + (lists[side.classNumber]?.interruptions(
                    of: side.field, side.target, side.inverse) ?? 0)
        }
    }

    func index(of side: Side) -> Int? { indices[side] }

    /// The sides, by index, that records of the class were written with under layout `number`.
    func kept(_ number: UInt16?, of classNumber: UInt8) -> Set<Int> {
        number.flatMap { kept[LayoutKey(classNumber: classNumber, number: $0)] } ?? []
    }
}
