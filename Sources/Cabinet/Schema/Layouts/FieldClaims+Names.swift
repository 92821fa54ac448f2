extension FieldClaims {
    /// The fields of a class that values under `names` are for, by these names alone: the program
    /// that wrote them is taken to have known what the class says of their past.
    /// - Throws: ``StoreError/unclearFields(class:fields:reason:)``
    static func find(
        _ names: [String], _ storedClass: StoredClass
    ) throws(StoreError) -> [String: FieldTable.Entry] {
        let entries = storedClass.fields.entries
        let declared = entries.map(DeclaredName.init)
        let unique = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let fields = unique.enumerated().map { index, name in
            let past =
                declared.first { $0.name == name }?.past[...]
                ?? declared.first { $0.past.contains(name) }?.past.drop { $0 != name }
            return Layout.Field(
                name: name, type: .scalar(.bool), class: nil, inverses: nil,
                identities: [UInt32(index)], formerNames: Array(past?.dropFirst() ?? []))
        }
        let claims = try resolve(
            declared, version: 0, of: storedClass.name,
            in: [Layout(number: 0, version: 0, fields: fields)])
        var found: [String: FieldTable.Entry] = [:]
        for (entry, claim) in zip(entries, claims) {
            if let index = claim.identities.first { found[unique[Int(index)]] = entry }
        }
        return found
    }
}
