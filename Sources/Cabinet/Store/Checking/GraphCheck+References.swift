import CabinetBackend

extension GraphCheck {
    /// Something about one record that must be looked at again.
    enum Suspect: Sendable {
        /// The row that is referred to seems not to be there.
        case reference(RecordDecoder.FoundReference)
        /// The table of referrers seems to disagree.
        case referrers
    }

    /// Counts a record in, and says what of it must be confirmed.
    func suspects(in owner: Owner) throws -> [Suspect] {
        report.records += 1
        report.references += owner.references.count
        var suspects: [Suspect] = []
        var seen: Set<RecordDecoder.FoundReference> = []
        for found in owner.references where try leadsNowhere(found.target) {
            if seen.insert(found).inserted { suspects.append(.reference(found)) }
        }
        guard let referrers else { return suspects }
        let required = referrers.required(owner.references)
        if required.isEmpty { return suspects }
        compared[owner.classRow.classNumber, default: RowSet()].insert(owner.classRow.row)
        if try referrers.listed(owner.classRow) != required { suspects.append(.referrers) }
        return suspects
    }

    /// Likewise for several records.
    func suspects(among owners: [Owner]) throws -> [(ClassRow, Suspect)] {
        try owners.flatMap { owner in try suspects(in: owner).map { (owner.classRow, $0) } }
    }

    /// Whether there is no such row, as far as is known.
    private func leadsNowhere(_ target: FieldValue.Reference) throws -> Bool {
        guard let number = target.classNumber else { return true }
        if rows[number]?.contains(target.row) == true { return false }
        guard try Self.isThere(target, backend) else { return true }
        rows[number, default: RowSet()].insert(target.row)
        return false
    }

    /// Whether the row that is referred to is there now.
    static func isThere(_ target: FieldValue.Reference, _ backend: any Backend) throws -> Bool {
        guard let number = target.classNumber,
            let table = try backend.tables().first(where: {
                $0.kind == .record && $0.classNumber == number
            })
        else { return false }
        return try !backend.presentRows(among: [target.row], in: table.number).isEmpty
    }

    // MARK: Looking again

    func confirm(
        _ suspect: Suspect, of owner: ClassRow,
        _ references: (UnsafeRawBufferPointer) throws -> [RecordDecoder.FoundReference]
    ) throws {
        guard let table = decoder.schema[owner.classNumber]?.table else { return }
        let look = SteadyLook(backend: backend, table: table, row: owner.row)
        for finding in try Self.confirmed(suspect, by: look, referrers, owner, references) {
            add(finding, of: owner)
        }
    }

    /// What remains wrong of a suspect when the record is looked at again by `references`.
    static func confirmed(
        _ suspect: Suspect, by look: SteadyLook, _ referrers: SavedReferrers?, _ owner: ClassRow,
        _ references: (UnsafeRawBufferPointer) throws -> [RecordDecoder.FoundReference]
    ) throws -> [Confirmed] {
        switch suspect {
        case .reference(let found):
            let isWrong = try look.twice { record in
                guard let record, try references(record).contains(found) else { return false }
                return try !isThere(found.target, look.backend)
            }
            return isWrong == true ? [.reference(found)] : []
        case .referrers:
            guard let referrers else { return [] }
            let difference = try look.twice { record in
                let there = try record.map { referrers.required(try references($0)) } ?? []
                let listed = try referrers.listed(owner)
                return [there.subtracting(listed), listed.subtracting(there)]
            }
            guard let difference else { return [] }
            return difference[0].inOrder().map { .missingReferrer($0) }
                + difference[1].inOrder().map { .strayReferrer($0) }
        }
    }

    /// Something that is wrong with one record.
    enum Confirmed: Sendable {
        case reference(RecordDecoder.FoundReference)
        case missingReferrer(ClassRow)
        case strayReferrer(ClassRow)
    }

    func add(_ confirmed: Confirmed, of owner: ClassRow) {
        let storedClass = decoder.schema[owner.classNumber]
        func finding(
            _ kind: CheckFinding.Kind, _ field: String?, _ target: FieldValue.Reference
        ) -> CheckFinding {
            CheckFinding(
                kind, className: storedClass?.name, row: owner.row, field: field, target: target)
        }
        switch confirmed {
        case .reference(let found):
            report.add(finding(kind(of: found, storedClass), found.field, found.target))
        case .missingReferrer(let classRow):
            report.add(finding(.missingReferrer, nil, reference(classRow)))
        case .strayReferrer(let classRow):
            report.add(finding(.strayReferrer, nil, reference(classRow)))
        }
    }

    private func reference(_ classRow: ClassRow) -> FieldValue.Reference {
        FieldValue.Reference(
            className: decoder.schema[classRow.classNumber]?.name,
            classNumber: classRow.classNumber,
            row: classRow.row)
    }

    /// Whether a reference that leads nowhere is wrong, or what deleting an object leaves.
    private func kind(
        of found: RecordDecoder.FoundReference, _ storedClass: StoreSchema.Class?
    ) -> CheckFinding.Kind {
        guard found.target.className != nil else { return .danglingReference }
        let relationship = storedClass?.fields.first { $0.name == found.field }?.relationship
        return found.isKept || relationship?.isKeptByRule == true
            ? .danglingReference : .looseReference
    }
}
