import CabinetBackend

extension Store {
    /// How the records of `backend` carry their version, if its catalog says so.
    static func recordedVersioning(in backend: any Backend) throws -> Versioning? {
        guard let bytes = try backend.catalogEntry(CatalogName.versioning) else { return nil }
        guard let known = Versioning(rawValue: String(decoding: bytes, as: UTF8.self)) else {
            throw BackendError.corrupt(path: backend.location, offset: 0)
        }
        return known
    }

    func recordVersioning(in batch: WriteBatch) throws {
        guard !isVersioningRecorded else { return }
        try batch.put(
            Array(codec.versioning.rawValue.utf8), for: Array(CatalogName.versioning.utf8),
            in: .catalog)
    }

    /// Adds the class's table or new version, and those on the other sides of its relationships: so
    /// programs that write these know of the pairs.
    /// - Throws: as ``define(_:in:)``.
    func defineAll(_ storedClass: StoredClass, in commit: Commit, _ defined: inout ClassNumbers)
        throws
    {
        let others = classes.filter { other in
            storedClass.fields.relations.contains { $0.inverse(in: other) != nil }
        }
        for storedClass in [storedClass] + others
        where storedClass.needsDefinition && !defined.contains(storedClass.number) {
            defined.insert(storedClass.number)
            if storedClass.definition == nil {
                commit.batch.expect(storedClass.pendingInserts, in: storedClass.table)
            }
            try define(storedClass, in: commit)
        }
    }

    /// Adds the table of `storedClass`, or its new version, to the batch.
    /// - Throws: ``StoreError/outdated(class:)``, or why an old record could not be rewritten.
    func define(_ storedClass: StoredClass, in commit: Commit) throws {
        if storedClass.definition == nil { try takeDefinition(of: storedClass, in: commit) }
        if codec.versioning == .perClass, let old = storedClass.definition?.classVersion,
            old < storedClass.version
        {
            // One version stands for all records, so all of them change with it: those of objects
            // with pending changes too, which may be rolled back after an upgrade. None may come in between.
            commit.batch.requiresLastBasis = commit.batch.requiresLastBasis || isIsolated
            try forEachOldObject(of: storedClass, pendingToo: true) { object in
                try commit.put(object, of: storedClass)
            }
        }
        try commit.batch.define(storedClass.wantedDefinition)
        try storedClass.layouts?.save(in: commit.batch)
        for name in storedClass.unrecordedNames {
            try commit.batch.put(
                [storedClass.number], for: Array(CatalogName.formerClass(name).utf8), in: .catalog)
        }
    }

    /// Takes the definition that another store has made. Throws if it was not claimed, or if another program has
    /// begun to save the class under a name that it had, or has renamed it.
    private func takeDefinition(of storedClass: StoredClass, in commit: Commit) throws {
        let wanted = storedClass.wantedDefinition
        let formerNames = storedClass.unrecordedNames.map { $0.lowercased() }
        for table in try backend.tables() {
            let isOwn =
                table.foldedName == wanted.foldedName || formerNames.contains(table.foldedName)
            if table.number == wanted.number, isOwn {
                storedClass.noteDefinition(table)
                continue
            }
            let isSameNumber = table.kind == .record && table.classNumber == wanted.classNumber
            if isSameNumber || isOwn || table.number == wanted.number {
                throw StoreError.outdated(class: storedClass.name)
            }
        }
        guard storedClass.definition == nil else { return }
        let renamed = CatalogName.formerClass(storedClass.name)
        if let number = try backend.catalogEntry(renamed)?.first,
            classesByNumber[Int(number)] == nil
        {
            throw StoreError.outdated(class: storedClass.name)
        }
        guard isIsolated else { return }
        // Nor may that come between.
        Array(renamed.utf8).withUnsafeBytes {
            commit.batch.require(.unchanged, key: $0, in: .catalog)
        }
        if !formerNames.isEmpty { commit.batch.requiresLastBasis = true }
    }
}
