import CabinetBackend

// Which fields of layouts are which of the class's, see ``FieldClaims``.

extension StoredLayouts {
    /// New fields get identities that are free.
    func claimFields() throws(StoreError) {
        claims = try FieldClaims.resolve(
            storedClass.fields.entries.map(DeclaredName.init),
            version: storedClass.version, of: storedClass.name, in: list.layouts)
        var next = list.highestIdentity
        for index in claims.indices where claims[index].identities.isEmpty {
            next += 1
            claims[index].identities = [next]
        }
    }

    /// The field of a layout that the declared field of that index continues.
    func source(of index: Int, in fields: [Layout.Field]) -> Int? {
        fields.firstIndex { $0.isSame(identities: claims[index].identities) }
    }

    /// By their latest names, in the order of the layouts.
    func findUnclaimedFields() -> [String] {
        guard storedClass.isDeclared else { return [] }
        var names: [String] = []
        for field in list.layouts.flatMap({ $0.fields ?? [] })
        where !claims.contains(where: { field.isSame(identities: $0.identities) }) {
            let name = list.latestName(of: field)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    func findIdentity(ofField index: Int) -> String? {
        guard storedClass.isDeclared else { return nil }
        let identities = claims[index].identities
        let name = storedClass.fields.entries[index].name
        let isOnly = list.layouts.allSatisfy { layout in
            layout.fields?.allSatisfy { $0.name != name || $0.identities == identities } ?? true
        }
        if isOnly, identities.count == 1 { return nil }
        return identities.map(String.init).joined(separator: "+")
    }
}

extension Layout.Field {
    /// What `entry` is now. `known` is what it was.
    init(
        _ entry: FieldTable.Entry, _ claim: FieldClaims.Claim, _ storedClass: StoredClass,
        known: Layout.Field?
    ) {
        name = entry.name
        identities = claim.identities
        formerNames = claim.formerNames
        type = entry.coder.type
        guard let relation = entry.coder as? RelationCoder else {
            self.class = nil
            inverses = nil
            return
        }
        inverses = StoredLayouts.inverses(of: relation, storedClass, known: known?.inverses)
        let context = storedClass.context
        let name = relation.targetType.storageName
        self.class =
            relation.target?.number ?? context.unregisteredNames.first { $0.value == name }?.key
    }
}
