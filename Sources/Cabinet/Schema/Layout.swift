import CabinetBackend

/// One way in which records of a class were written, under a number that is never used again.
struct Layout: Codable, Hashable, Sendable {
    struct Field: Codable, Hashable, Sendable {
        let name: String
        let type: FieldType
        /// Of a relationship: the number of the declared class, if it had one.
        let `class`: UInt8?
        /// Of a relationship: what led back, by which records were kept right; `nil` for nothing.
        var inverses: [Inverse]?
        /// The same in every layout for the same field, whatever it was called; several once a
        /// program said that fields are one. Never empty but in JSON of earlier programs, see
        /// ``LayoutList/identify()``.
        var identities: [UInt32] = []
        /// Other names of the field, as far as declared; `nil` if none were recorded.
        var formerNames: [String]?

        private enum CodingKeys: String, CodingKey {
            case name, type, `class`, inverses
        }

        /// Identities that are made of names; lower ones are counted.
        static let firstOfNames: UInt32 = 1 << 31

        /// With an identity made of its name if it has none. Not a count: an earlier layout's entry
        /// may be lost.
        fileprivate var identified: Field {
            guard identities.isEmpty else { return self }
            var field = self
            // FNV-1a (Fowler, Noll and Vo).
            let sum = name.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
            field.identities = [Self.firstOfNames | sum]
            return field
        }

        func isSame(as other: Field) -> Bool {
            other.identities.contains(where: identities.contains)
        }
    }

    /// A relationship that led back, while records of the layout were written.
    struct Inverse: Codable, Hashable, Sendable {
        let `class`: UInt8
        let name: String
        /// How often programs without the pair had written either class by then; `nil`: never.
        let interruption: Int?

        // `era` is the key in catalogs since the first release of layouts.
        private enum CodingKeys: String, CodingKey {
            case `class`, name
            case interruption = "era"
        }
    }

    /// What the record bears: in its first byte, or from 255 on behind one of 255.
    let number: UInt16
    let version: UInt8
    /// The fields in their order; `nil` for records that the class wrote by hand.
    private(set) var fields: [Field]?

    mutating func setFields(_ fields: [Field]) { self.fields = fields }

    /// Whether both say the same, whatever their numbers.
    func isSame(as other: Layout) -> Bool {
        guard version == other.version, let fields, let others = other.fields else {
            return version == other.version && self.fields == nil && other.fields == nil
        }
        return fields.count == others.count
            && zip(fields, others).allSatisfy { one, other in
                var other = other
                // A program that recorded no renames may have made the layout of one that has none.
                if one.formerNames == nil || other.formerNames == nil {
                    guard (one.formerNames ?? other.formerNames ?? []).isEmpty else { return false }
                    other.formerNames = one.formerNames
                }
                return one == other
            }
    }
}

/// All layouts of one class, by number, and what else is kept; JSON in early catalogs.
struct LayoutList: Codable, Hashable, Sendable {
    var layouts: [Layout] = []
    /// What was declared last of the class's relationships beside their form; `nil` if nothing.
    var relations: [RelationFacts]?
    /// How often programs that did not know a pair have written the class after others that did:
    /// see ``pair(_:_:_:)``.
    var interruptions: [String: Int]?

    func layout(_ number: UInt16) -> Layout? { layouts.first { $0.number == number } }

    /// The greatest identity that was counted; 0 if there is none.
    var highestIdentity: UInt32 {
        layouts.lazy.flatMap { $0.fields ?? [] }.flatMap(\.identities)
            .filter { $0 < Layout.Field.firstOfNames }.max() ?? 0
    }

    /// Gives identities to fields without: one for each name, as their programs read by names.
    mutating func identify() {
        for index in layouts.indices {
            guard let fields = layouts[index].fields,
                fields.contains(where: \.identities.isEmpty)
            else { continue }
            layouts[index].setFields(fields.map { $0.identified })
        }
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
