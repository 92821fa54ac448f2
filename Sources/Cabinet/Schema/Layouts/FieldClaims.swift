/// Which fields of earlier layouts the fields of a program continue: the one place that knows.
///
/// A field is followed from layout to layout by its identity, and its *past* is the list of its names,
/// the latest first. What a program declares is compared with the last layout that a program before it
/// made, its *base*: a field of the base is the declared one whose past ends with its own past. A
/// declaration may leave out the oldest names, or tell more of them than the base knows. What the base
/// lacks is looked for in the layouts before it, then in those of higher versions, and what is not there is new.
struct FieldClaims {
    struct Claim: Hashable {
        /// Empty for a field that no layout has.
        var identities: [UInt32]
        /// Its names before the present one, the latest first, as far as they are known.
        var formerNames: [String]
    }

    private let className: String
    private let declared: [DeclaredName]
    /// The fields of each layout up to the base.
    private let layouts: [[Layout.Field]]
    private var base: [Layout.Field] { layouts.last ?? [] }
    private var claimed: [[UInt32]]
    /// How the claims to fields of the base came about.
    private var matches: [PastMatch?]

    /// - Parameter layouts: those of the class, in the order of their numbers.
    /// - Returns: a claim for each of `declared`.
    /// - Throws: ``StoreError/unclearFields(class:fields:reason:)``
    static func resolve(
        _ declared: [DeclaredName], version: UInt8, of className: String, in layouts: [Layout]
    ) throws(StoreError) -> [Claim] {
        let made = layouts.filter { $0.fields != nil }.inOrder {
            // That of a higher version is the later one, also if an older program has made its own since.
            ($0.version, $0.number) < ($1.version, $1.number)
        }
        let known = made.filter { $0.version <= version }
        if let index = known.lastIndex(where: { $0.isMade(by: declared, version) }) {
            for later in known[index...] where later.version == version {
                try MovedNames.check(declared, className, in: later.fields ?? [])
            }
            return declared.map { one in
                let field = known[index].fields?.first { $0.name == one.name }
                return Claim(
                    identities: field?.identities ?? [], formerNames: field?.formerNames ?? [])
            }
        }
        if let last = known.last, last.version == version {
            try MovedNames.check(declared, className, in: last.fields ?? [])
        }
        var claims = FieldClaims(declared, className, known.map { $0.fields ?? [] })
        try claims.claimInBase()
        try claims.claimBeforeBase()
        let newer = made.filter { $0.version > version }
        return try continued(claims.result, declared, className, in: newer)
    }

    /// What only programs of a higher version have had so far is theirs, too: they read what this one writes.
    private static func continued(
        _ claims: [Claim], _ declared: [DeclaredName], _ className: String, in newer: [Layout]
    ) throws(StoreError) -> [Claim] {
        guard !newer.isEmpty, claims.contains(where: \.identities.isEmpty) else { return claims }
        var found = FieldClaims(declared, className, newer.map { $0.fields ?? [] })
        try found.claimInBase()
        try found.claimBeforeBase()
        let taken = Set(claims.flatMap(\.identities))
        return zip(claims, found.result).map { own, other in
            own.identities.isEmpty && taken.isDisjoint(with: other.identities) ? other : own
        }
    }

    private init(_ declared: [DeclaredName], _ className: String, _ layouts: [[Layout.Field]]) {
        self.declared = declared
        self.className = className
        self.layouts = layouts
        claimed = Array(repeating: [], count: declared.count)
        matches = Array(repeating: nil, count: declared.count)
    }

    // MARK: The base

    /// Each declared field claims the best match in the base that no other has more right to.
    private mutating func claimInBase() throws(StoreError) {
        // A former name that no layout has may have been a mistake.
        let known = Set(layouts.joined().map(\.name))
        var options = declared.map { one in
            let found = PastMatch.all(of: one, in: base)
            return found.isEmpty ? PastMatch.all(of: one, in: base, knowing: known) : found
        }
        var isDone = false
        while !isDone {
            isDone = true
            for index in declared.indices where matches[index] == nil {
                guard let match = options[index].first else { continue }
                isDone = false
                if options[index].count > 1, !match.isBetter(than: options[index][1]) {
                    throw unclear(
                        [
                            declared[index].name, base[match.place].name,
                            base[options[index][1].place].name,
                        ],
                        "records have more than one of its names. Name in was: all that each of "
                            + "these fields ever had, or only those that records have its values "
                            + "under")
                }
                options[index].removeFirst()
                try give(match, to: index)
            }
            for index in declared.indices {
                guard let match = matches[index], isPassedOn(match, index) else { continue }
                matches[index] = nil
                isDone = false
            }
        }
        for (index, match) in matches.enumerated() {
            if let match { claimed[index] = base[match.place].identities }
        }
    }

    private mutating func give(_ match: PastMatch, to index: Int) throws(StoreError) {
        guard
            let other = matches.firstIndex(where: { $0?.place == match.place }),
            let known = matches[other]
        else {
            matches[index] = match
            return
        }
        if match.hasMoreRight(than: known) {
            matches[other] = nil
            matches[index] = match
        } else if !known.hasMoreRight(than: match) {
            throw conflicting(base[match.place].name, other, index)
        }
    }

    /// Whether the match is by a name that another field got and left since the base was made: then
    /// the declared one most likely got it after that.
    private func isPassedOn(_ match: PastMatch, _ index: Int) -> Bool {
        if match.isWhole, match.depth > 0 { return false }
        let name = declared[index].past[match.depth]
        return declared.indices.contains { other in
            guard other != index, let match = matches[other] else { return false }
            // Not the name that it has now.
            return declared[other].past[..<match.depth].dropFirst().contains(name)
        }
    }

    // MARK: Layouts before the base

    private mutating func claimBeforeBase() throws(StoreError) {
        for isWhole in [true, false] {
            for fields in layouts.dropLast().reversed() { try claim(in: fields, isWhole) }
        }
    }

    private mutating func claim(in fields: [Layout.Field], _ isWhole: Bool) throws(StoreError) {
        let firm = claimed
        var found: [(index: Int, field: Layout.Field, match: PastMatch)] = []
        for (index, one) in declared.enumerated() {
            let left = fields.filter { field in
                !firm.contains { field.isSame(identities: $0) }
                    && !isReplaced(field, in: fields, of: index)
            }
            let match = PastMatch.all(of: one, in: left).first
            guard let match, match.isWhole == isWhole, !isPassedOn(match, index) else {
                continue
            }
            found.append((index, left[match.place], match))
        }
        // What has been renamed since goes before what has the name now.
        for (index, field, match) in found where match.depth > 0 {
            guard claimed[index].isEmpty else {
                try join(field, match, to: index)
                continue
            }
            if let other = claimed.firstIndex(where: { field.isSame(identities: $0) }) {
                throw conflicting(field.name, other, index)
            }
            claimed[index] = field.identities
        }
        for (index, field, match) in found where match.depth == 0 && claimed[index].isEmpty {
            let isTaken = claimed.contains { field.isSame(identities: $0) }
            if !isTaken { claimed[index] = field.identities }
        }
    }

    /// A field that is known gets another past, too: so a program says that two fields are one.
    private mutating func join(
        _ field: Layout.Field, _ match: PastMatch, to index: Int
    ) throws(StoreError) {
        let known = claimed[index]
        // Names from before it had the one that the base knows.
        guard match.isWhole, match.depth > matches[index]?.depth ?? 0 else { return }
        let isBeside = layouts.contains { fields in
            fields.contains { $0.isSame(identities: known) }
                && fields.contains { $0.isSame(as: field) }
        }
        guard !isBeside else {
            throw unclear(
                [declared[index].name, field.name],
                "records of earlier layouts have both. Leave '\(field.name)' out of was:")
        }
        claimed[index] += field.identities
    }

    /// Whether another field got the name after the layout, and left it again.
    private func isReplaced(
        _ field: Layout.Field, in fields: [Layout.Field], of index: Int
    ) -> Bool {
        declared.indices.contains { other in
            guard other != index,
                let now = base.first(where: { $0.isSame(identities: claimed[other]) }),
                let before = fields.first(where: { $0.isSame(identities: claimed[other]) })
            else { return false }
            return now.past.contains(field.name) && !before.past.contains(field.name)
        }
    }

    // MARK: Pieces

    private var result: [Claim] {
        declared.indices.map { index in
            var past = declared[index].past
            // What the declaration leaves out.
            if let match = matches[index] {
                let known = base[match.place].past
                if known.count > past.count - match.depth { past = past[..<match.depth] + known }
            }
            return Claim(identities: claimed[index], formerNames: Array(past.dropFirst()))
        }
    }

    private func conflicting(_ name: String, _ one: Int, _ other: Int) -> StoreError {
        unclear(
            [declared[one].name, declared[other].name],
            "both were '\(name)'. Leave was: \"\(name)\" to one of them")
    }

    private func unclear(_ fields: [String], _ reason: String) -> StoreError {
        .unclearFields(class: className, fields: fields, reason: reason)
    }
}

extension Layout {
    /// Whether a program with these fields may have made the layout.
    fileprivate func isMade(by declared: [DeclaredName], _ version: UInt8) -> Bool {
        guard let fields, self.version == version, fields.count == declared.count else {
            return false
        }
        return declared.allSatisfy { one in
            fields.contains {
                $0.name == one.name && $0.type == one.type && $0.past.starts(with: one.past)
            }
        }
    }
}
