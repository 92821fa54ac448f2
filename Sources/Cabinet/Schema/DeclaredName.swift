import CabinetBackend

/// A field as a program declares it, as far as it matters which one it is.
struct DeclaredName {
    let type: FieldType
    let past: [String]
    var name: String { past[0] }

    init(type: FieldType, past: [String]) {
        self.type = type
        self.past = past
    }

    init(_ entry: FieldTable.Entry) {
        self.init(type: entry.coder.type, past: [entry.name] + entry.formerNames)
    }
}

/// How the past of a declared field and that of a field of a layout go together.
struct PastMatch {
    let place: Int
    /// How many names the declared field got since.
    let depth: Int
    /// Whether the past of the layout's field is all that comes then.
    let isWhole: Bool
    let length: Int

    /// The fields that may be the declared one, the best first.
    /// - Parameter known: the names that count of those that a field had before; `nil` for all.
    static func all(
        of declared: DeclaredName, in fields: [Layout.Field], knowing known: Set<String>? = nil
    ) -> [PastMatch] {
        var found: [PastMatch] = []
        for (place, field) in fields.enumerated() {
            let past =
                [field.name] + field.past.dropFirst().filter { known?.contains($0) ?? true }
            var best: PastMatch?
            for depth in declared.past.indices where declared.past[depth] == field.name {
                let rest = declared.past[depth...]
                let length = min(rest.count, past.count)
                guard rest.prefix(length) == past.prefix(length) else { continue }
                let match = PastMatch(
                    place: place, depth: depth, isWhole: rest.count == past.count, length: length)
                if best.map(match.isBetter) ?? true { best = match }
            }
            if let best { found.append(best) }
        }
        return found.inOrder { $0.isBetter(than: $1) }
    }

    /// Whether the declared field is more likely to be this field than that of `other`.
    func isBetter(than other: PastMatch) -> Bool {
        isWhole == other.isWhole ? length > other.length : isWhole
    }

    /// Whether this field has more right to the layout's field than another by `other`: what has
    /// been renamed since goes before what has the name now.
    func hasMoreRight(than other: PastMatch) -> Bool {
        isWhole == other.isWhole ? depth > 0 && other.depth == 0 : isWhole
    }
}

extension Layout.Field {
    /// Its names, the latest first, as far as they are known.
    var past: [String] { [name] + formerNames }

    /// Whether the field is one with any of these identities.
    func isSame(identities others: [UInt32]) -> Bool { identities.contains(where: others.contains) }
}

/// Names that one field of a layout has and another had before.
enum MovedNames {
    /// Refuses a program that has such a name without showing that it knows: it may be an earlier
    /// one, for which the name means the other field.
    static func check(
        _ declared: [DeclaredName], _ className: String, in fields: [Layout.Field]
    ) throws(StoreError) {
        for other in fields where !other.formerNames.isEmpty {
            for one in declared
            where other.name != one.name && other.past.contains(one.name)
                && fields.contains(where: { $0.name == one.name })
            {
                let isMoved = fields.contains {
                    $0.name != other.name && $0.past.contains(other.name)
                }
                let knows = declared.contains {
                    $0.name == other.name && (!isMoved || $0.past.contains(one.name))
                        || $0.past.dropFirst().contains(other.name)
                }
                guard !knows else { continue }
                throw .unclearFields(
                    class: className, fields: [one.name, other.name],
                    reason: "'\(one.name)' is another field than the one that became "
                        + "'\(other.name)', and this program may be of before or of after that. "
                        + "Declare '\(other.name)' with was: \"\(one.name)\", or raise the version "
                        + "of the class")
            }
        }
    }
}
