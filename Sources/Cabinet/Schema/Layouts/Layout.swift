import CabinetBackend

/// One way in which records of a class were written, as the catalog keeps it under a number that
/// is never used again.
struct Layout: Hashable, Sendable {
    /// One field of a layout.
    struct Field: Hashable, Sendable {
        let name: String
        let type: FieldType
        /// Of a relationship: the number of the declared class, if it had one.
        let `class`: UInt8?
        /// Of a relationship: what led back, by which records were kept right; `nil` for nothing.
        var inverses: [Inverse]?
        /// The same in every layout for what counts as the same field, whatever it was called. Several
        /// once a program said that fields of different layouts are one. Never empty.
        var identities: [UInt32] = []
        /// The other names that the field ever had, as far as programs declared them.
        var formerNames: [String] = []

        func isSame(as other: Field) -> Bool {
            other.identities.contains(where: identities.contains)
        }
    }

    /// A relationship that led back, while records of the layout were written.
    struct Inverse: Hashable, Sendable {
        let `class`: UInt8
        let name: String
        /// How often programs without the pair had written either class by then; `nil`: never.
        let interruption: Int?
    }

    /// What the record bears: in its first byte, or from 255 on behind one of 255.
    let number: UInt16
    let version: UInt8
    /// The fields in their order; `nil` for records that the class wrote by hand.
    let fields: [Field]?

    /// Whether both say the same, whatever their numbers.
    func isSame(as other: Layout) -> Bool {
        version == other.version && fields == other.fields
    }
}

/// All layouts of one class, in the order of their numbers, and what is kept besides.
struct LayoutList: Hashable, Sendable {
    var layouts: [Layout] = []
    /// What was declared last of the class's relationships beside their form; `nil` if nothing.
    var relations: [RelationFacts]?
    /// How often programs that did not know a pair have written the class after others that did:
    /// see ``pair(_:_:_:)``.
    var interruptions: [String: Int]?

    func layout(_ number: UInt16) -> Layout? { layouts.first { $0.number == number } }

    /// The greatest identity of a field below 2^31, which none that was counted reaches; 0 if there is
    /// none.
    var highestIdentity: UInt32 {
        var highest: UInt32 = 0
        for field in layouts.lazy.compactMap(\.fields).joined() {
            for identity in field.identities where identity < 1 << 31 {
                highest = max(highest, identity)
            }
        }
        return highest
    }

    /// What the field is called in the last layout that has it.
    func latestName(of field: Layout.Field) -> String {
        for layout in layouts.reversed() {
            if let same = layout.fields?.first(where: field.isSame) { return same.name }
        }
        return field.name
    }

    /// Relationship `name` and what leads back to it from class `other`, as one name.
    static func pair(_ name: String, _ other: UInt8, _ inverse: String) -> String {
        "\(name)-\(other).\(inverse)"
    }

    /// What the field is called in the last layout that was last called `name`.
    func latestName(_ name: String) -> String {
        field(lastCalled: name).map(latestName(of:)) ?? name
    }

    private func field(lastCalled name: String) -> Layout.Field? {
        layouts.lazy.reversed().compactMap { $0.fields?.first { $0.name == name } }.first
    }

    /// The interruptions of a pair of relationships, under any name of the first.
    func interruptions(of name: String, _ other: UInt8, _ inverse: String) -> Int {
        ([name] + (field(lastCalled: name)?.formerNames ?? [])).reduce(0) { most, name in
            max(most, interruptions?[Self.pair(name, other, inverse)] ?? 0)
        }
    }

    /// The interruption of each pair that any layout or interruption of this class names.
    var latestInterruptions: [String: Int] {
        var interruptions = interruptions ?? [:]
        for field in layouts.flatMap({ $0.fields ?? [] }) {
            for inverse in field.inverses ?? [] {
                let pair = Self.pair(latestName(of: field), inverse.class, inverse.name)
                interruptions[pair] = max(interruptions[pair] ?? 0, inverse.interruption ?? 0)
            }
        }
        return interruptions
    }
}
