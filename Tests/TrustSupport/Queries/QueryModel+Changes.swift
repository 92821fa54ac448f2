import Cabinet

extension QueryModel {
    func change() throws {
        switch random.below(14) {
        case 13: try changeSchema()
        case 12: try changeByOlderProgram()
        case 11: try renameSources()
        case 10: try changeElsewhere()
        case 0: insert()
        case 1, 2, 3: try edit()
        case 4:
            guard let row = someRow, let object = try store.object(Specimen.self, rowID: row)
            else { return }
            try store.delete(object)
            values[row] = nil
        case 5: try save()
        case 6: try reopen()
        case 7:
            store.rollback()
            values = saved
            try findSources()
        case 8:
            let before = values
            try store.undoHistory.group("edits") {
                try edit()
                insert()
            }
            if random.once(in: 2), try store.undoHistory.undo() { values = before }
        default:
            held = try values.keys.sorted().filter { _ in random.once(in: 3) }
                .compactMap { try store.object(Specimen.self, rowID: $0) }
        }
    }

    var someRow: RowID? {
        let rows = values.keys.sorted()
        return rows.isEmpty ? nil : rows[random.below(rows.count)]
    }

    func insert() {
        let object = Specimen()
        let content = SpecimenValues(&random)
        store.insert(object)
        content.set(object, sources)
        values[object.rowID] = content
    }

    private func edit() throws {
        guard let row = someRow, let object = try store.object(Specimen.self, rowID: row) else {
            return
        }
        let content = SpecimenValues(&random)
        content.set(object, sources)
        values[row] = content
    }

    func save() throws {
        try store.save()
        saved = values
    }

    /// Goes on in a store that has nothing in memory.
    private func reopen() throws {
        try save()
        held = []
        sources = [:]
        store = try Store(backend: store.backend, classes: Self.classes)
        setUp()
        try findSources()
    }

    func findSources() throws {
        sources = [:]
        for source in try store.objects(of: SpecimenSource.self) { sources[source.name] = source }
    }

    /// Two sources exchange their names.
    private func renameSources() throws {
        let names = SpecimenPools.sources
        let (one, other) = (names[random.below(names.count)], names[random.below(names.count)])
        guard one != other, let first = sources[one], let second = sources[other] else { return }
        (first.name, second.name) = (other, one)
        (sources[one], sources[other]) = (second, first)
        func renamed(_ name: String) -> String {
            name == one ? other : name == other ? one : name
        }
        values = values.mapValues { content in
            var content = content
            content.source = content.source.map(renamed)
            content.friends = Set(content.friends.map(renamed))
            return content
        }
    }

    /// A program that knows no indexes changes objects, which leaves these behind.
    private func changeByOlderProgram() throws {
        if store.hasChanges || !isShared || random.once(in: 2) { return }
        let older = try Store(
            backend: store.backend, classes: [OlderSpecimen.self, SpecimenSource.self])
        var changed = values
        for _ in 0..<3 {
            guard let row = someRow, let object = try older.object(OlderSpecimen.self, rowID: row)
            else { continue }
            changed[row]?.setSome(of: SpecimenValues(&random), object)
        }
        try older.save()
        try older.close()
        try store.refresh()
        (values, saved) = (changed, changed)
        // Otherwise the indexes are brought up to date meanwhile.
        if random.once(in: 2) { try store.indexes.build() }
    }

    /// Another store changes objects: queries see that when this one reads as of the new commit.
    private func changeElsewhere() throws {
        if store.hasChanges || !isShared { return }
        let other = try Store(backend: store.backend, classes: Self.classes)
        var others: [String: SpecimenSource] = [:]
        for source in try other.objects(of: SpecimenSource.self) { others[source.name] = source }
        var changed = values
        for _ in 0..<3 {
            guard let row = someRow, let object = try other.object(Specimen.self, rowID: row)
            else { continue }
            if random.once(in: 4) {
                try other.delete(object)
                changed[row] = nil
            } else if !object.isDeleted {
                let content = SpecimenValues(&random)
                content.set(object, others)
                changed[row] = content
            }
        }
        let new = Specimen()
        let content = SpecimenValues(&random)
        other.insert(new)
        content.set(new, others)
        try other.save()
        changed[new.rowID] = content
        // No changes between pages meanwhile.
        let wasPaging = isPaging
        isPaging = true
        for _ in 0..<3 { try ask() }
        isPaging = wasPaging
        try store.refresh()
        (values, saved) = (changed, changed)
    }
}
