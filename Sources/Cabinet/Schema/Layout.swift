import CabinetBackend

/// One way in which records of a class were written, as the catalog keeps it under a number that
/// is never used again.
struct Layout: Codable, Hashable, Sendable {
    /// One field of a layout.
    struct Field: Codable, Hashable, Sendable {
        let name: String
        let type: FieldType
        /// Of a relationship: the number of the declared class, if it had one.
        let `class`: UInt8?
        /// Of a relationship: what led back, by which records were kept right; `nil` for nothing.
        var inverses: [Inverse]?
    }

    /// A relationship that led back, while records of the layout were written.
    struct Inverse: Codable, Hashable, Sendable {
        let `class`: UInt8
        let name: String
        /// How often programs that did not know the pair had written either class by then; `nil`
        /// for never.
        let interruption: Int?

        // `era` is the key in catalogs since the first release of layouts.
        private enum CodingKeys: String, CodingKey {
            case `class`, name
            case interruption = "era"
        }
    }

    /// What the record bears: in its first byte, or from 255 on behind one of 255.
    let number: UInt16
    /// The class version that was in force.
    let version: UInt8
    /// The fields in their order; `nil` for records that the class wrote by hand.
    let fields: [Field]?

    /// Whether both say the same, whatever their numbers.
    func isSame(as other: Layout) -> Bool { version == other.version && fields == other.fields }
}

/// All layouts of one class, in the order of their numbers, and what is kept besides. Earlier programs
/// wrote it into the catalog as JSON.
struct LayoutList: Codable, Hashable, Sendable {
    var layouts: [Layout] = []
    /// What was declared last of the class's relationships beside their form; `nil` if nothing.
    var relations: [RelationFacts]?
    /// How often programs that did not know a pair of relationships have written the class after
    /// others that did, by ``pair(_:_:_:)``.
    var interruptions: [String: Int]?

    func layout(_ number: UInt16) -> Layout? { layouts.first { $0.number == number } }

    /// Relationship `name` and what leads back to it from class `other`, as one name.
    static func pair(_ name: String, _ other: UInt8, _ inverse: String) -> String {
        "\(name)-\(other).\(inverse)"
    }

    /// The interruption of each pair that any layout or interruption of this class tells of.
    var latestInterruptions: [String: Int] {
        var interruptions = interruptions ?? [:]
        for field in layouts.flatMap({ $0.fields ?? [] }) {
            for inverse in field.inverses ?? [] {
                let pair = Self.pair(field.name, inverse.class, inverse.name)
                interruptions[pair] = max(interruptions[pair] ?? 0, inverse.interruption ?? 0)
            }
        }
        return interruptions
    }
}
