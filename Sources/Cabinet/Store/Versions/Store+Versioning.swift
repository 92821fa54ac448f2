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

    /// Writes down how records carry their version, in the first save.
    func recordVersioning(in batch: WriteBatch) throws {
        guard !isVersioningRecorded else { return }
        let value = Array(codec.versioning.rawValue.utf8)
        try Array(CatalogName.versioning.utf8).withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                try batch.put(value, for: key, in: .catalog)
            }
        }
    }

    /// Adds the table of `home`, or its new version, to the batch, and those of the classes on the
    /// other sides of its relationships: so that programs that write them know of the pairs.
    /// - Throws: as ``define(_:in:)``.
    func defineAll(_ home: StoredClass, in commit: Commit, _ defined: inout ClassNumbers) throws {
        let others = classes.filter { other in
            home.fields.relations.contains { $0.inverse(in: other) != nil }
        }
        for home in [home] + others where home.needsDefinition && !defined.contains(home.number) {
            defined.insert(home.number)
            if home.definition == nil { commit.batch.expect(home.pendingInserts, in: home.table) }
            try define(home, in: commit)
        }
    }

    /// Adds the table of `home`, or its new version, to the batch.
    /// - Throws: ``StoreError/outdated(class:)``, or why an old record could not be rewritten.
    func define(_ home: StoredClass, in commit: Commit) throws {
        if home.definition == nil { try checkIsFree(home) }
        if codec.versioning == .perClass, let old = home.definition?.classVersion,
            old < home.version
        {
            // One version stands for all records, so all of them change with it: those of objects
            // with pending changes too, which may be rolled back after an upgrade.
            try forEachOldObject(of: home, pendingToo: true) { object in
                try commit.put(object, of: home)
            }
        }
        try commit.batch.define(home.wantedDefinition)
        try home.history?.save(in: commit.batch)
    }

    /// Sees that no other store has taken the name or the number of a new class meanwhile.
    private func checkIsFree(_ home: StoredClass) throws {
        let wanted = home.wantedDefinition
        for table in try backend.tables() where table.number != wanted.number {
            let isSameNumber = table.kind == .record && table.classNumber == wanted.classNumber
            if isSameNumber || table.foldedName == wanted.foldedName {
                throw StoreError.outdated(class: home.name)
            }
        }
    }
}
