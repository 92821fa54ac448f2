import CabinetBackend

/// Which targets records have in loose relationships to one that are gone.
///
/// Keys of indexes have the rows of gone targets, as records do. A query for objects without a target asks for
/// these keys, too, so it must know them: from one pass over the records, and from what was deleted or changed
/// since. Not `Sendable`: its store's.
private final class LooseTargets {
    /// What is known of one relationship.
    struct Known {
        /// Those that are gone, and some that are there again.
        var targets: Set<TargetRow> = []
        /// How far lists of ``LooseReferences`` were read, by class number.
        var gone: [UInt8: Int] = [:]
        var changed = 0
        var generations = 0
        /// Whether each was met in a record.
        var isExact = true
        /// As of which commit, over an engine whose commits a store cannot tell apart.
        var commit: CommitNumber = 0
    }

    struct Key: Hashable {
        let owner: UInt8
        let field: Int
    }

    var known: [Key: Known] = [:]
}

extension Store {
    /// More gone targets are not asked for.
    private static var mostGoneTargets: Int { 256 }
    /// After so many deletes or changes of others, all records are looked at again.
    private static var mostNews: Int { 4096 }

    /// The targets that are gone and that keys of indexes may have in `field`, a relationship to one of
    /// `storedClass`; `nil` if there are many, or that cannot be found out. None if no index has it.
    ///
    /// Cost: a pass over the records when first asked; then what was deleted since.
    func goneTargets(
        of field: ClassFields.Field, _ form: TargetForm, _ storedClass: StoredClass
    ) throws -> [TargetRow]? {
        guard form.mayDangle else { return [] }
        let isIndexed = try queryIndexes(of: storedClass)?.all.contains { index in
            index.sources.contains { $0.field?.index == field.index }
        }
        guard isIndexed == true else { return [] }
        let annex = annex(LooseTargets.self) { _ in LooseTargets() }
        let key = LooseTargets.Key(owner: storedClass.number, field: field.index)
        let cursor = RowCursor(self, fields(of: storedClass), ofRecords: true)
        let targetClasses = classes.filter { form.accepts($0) }
        var known: LooseTargets.Known
        if let found = annex.known[key],
            let news = try news(for: found, cursor, field, form, storedClass, targetClasses)
        {
            known = news
        } else {
            known = try lookAtAll(cursor, field, form, storedClass, targetClasses)
        }
        var gone = self.gone(known, cursor, form)
        if gone.count > Self.mostGoneTargets, !known.isExact {
            known = try lookAtAll(cursor, field, form, storedClass, targetClasses)
            gone = self.gone(known, cursor, form)
        }
        annex.known[key] = known
        guard gone.count <= Self.mostGoneTargets else { return nil }
        return gone.inOrder { ($0.classNumber, $0.row) < ($1.classNumber, $1.row) }
    }

    private func gone(
        _ known: LooseTargets.Known, _ cursor: RowCursor, _ form: TargetForm
    ) -> Set<TargetRow> {
        for (number, targets) in Dictionary(grouping: known.targets, by: \.classNumber) {
            guard let storedClass = classesByNumber[Int(number)] else { continue }
            lookForRows(targets.map(\.row), of: storedClass)
        }
        return known.targets.filter { cursor.isGone($0, form) }
    }

    /// What is known by now; `nil` if all records must be looked at.
    private func news(
        for found: LooseTargets.Known, _ cursor: RowCursor, _ field: ClassFields.Field,
        _ form: TargetForm, _ storedClass: StoredClass, _ targetClasses: [StoredClass]
    ) throws -> LooseTargets.Known? {
        var known = found
        guard known.generations == generations(storedClass, targetClasses) else { return nil }
        if !isIsolated, try reader.lastCommit() != known.commit { return nil }
        for target in targetClasses {
            let rows = target.loose.gone.dropFirst(known.gone[target.number] ?? 0)
            if rows.count > Self.mostNews { return nil }
            for row in rows {
                known.targets.insert(TargetRow(classNumber: target.number, row: row))
                known.isExact = false
            }
            known.gone[target.number] = target.loose.gone.count
        }
        let changed = storedClass.loose.changedElsewhere.dropFirst(known.changed)
        if changed.count > Self.mostNews { return nil }
        try forEachRecord(at: Array(changed), of: storedClass) { row, record in
            look(at: record, row, cursor, field, form, &known)
        }
        known.changed = storedClass.loose.changedElsewhere.count
        return known
    }

    private func generations(_ storedClass: StoredClass, _ targetClasses: [StoredClass]) -> Int {
        targetClasses.reduce(storedClass.loose.generation) { $0 + $1.loose.generation }
    }

    private func lookAtAll(
        _ cursor: RowCursor, _ field: ClassFields.Field, _ form: TargetForm,
        _ storedClass: StoredClass, _ targetClasses: [StoredClass]
    ) throws -> LooseTargets.Known {
        var known = LooseTargets.Known()
        if !isIsolated { known.commit = try reader.lastCommit() }
        for target in targetClasses { known.gone[target.number] = target.loose.gone.count }
        known.changed = storedClass.loose.changedElsewhere.count
        known.generations = generations(storedClass, targetClasses)
        let run = RecordRun()
        let walk = try readerForWalk().records(in: storedClass.table)
        while try walk.next(run) {
            while let (row, record) = run.next() {
                look(at: record, row, cursor, field, form, &known)
            }
        }
        return known
    }

    /// Notes the target that a record has if it is gone.
    private func look(
        at record: UnsafeRawBufferPointer, _ row: RowID, _ cursor: RowCursor,
        _ field: ClassFields.Field, _ form: TargetForm, _ known: inout LooseTargets.Known
    ) {
        // Queries that meet a record that cannot be read say so.
        guard (try? cursor.take(record, at: row)) == true,
            let found = try? cursor.writtenTarget(field, form), cursor.isGone(found, form)
        else { return }
        known.targets.insert(found)
    }
}
