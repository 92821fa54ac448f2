import CabinetBackend

/// What other stores have changed of objects in steps: reverting a step keeps their work.
final class ForeignEdits {
    struct Edit {
        /// Which move of the store's basis brought it: steps that were recorded later know of it.
        var serial: UInt32 = 0
        /// Its fields except lists, by index.
        var fields: Set<Int> = []
        /// The objects that came to its lists or left, by field, as words of ``ObjectReferences``.
        var members: [Int: Set<UInt64>] = [:]
        /// Whether it was deleted, came back, or was written by another store's own code: it is not
        /// taken apart.
        var isWhole = false
        /// Whether an object that a step has made or deleted must stay as it is: not for values that triggers
        /// have given it.
        var bindsObject = true

        init(bindsObject: Bool = true) { self.bindsObject = bindsObject }
    }

    private var edits: [UInt64: [Edit]] = [:]
    /// Rises with each move of the basis that brought changes.
    private(set) var serial: UInt32 = 0
    /// Whether a step may know one side of a relationship alone: changes of others were taken up.
    var mayPart = false

    var isEmpty: Bool { edits.isEmpty }

    /// The store reads as of a later commit, with `found` changed of the objects `keys` of steps.
    func append(_ found: [UInt64: Edit], of keys: Set<UInt64>) {
        if found.isEmpty { return }
        serial += 1
        edits = edits.filter { keys.contains($0.key) }
        for (key, var edit) in found {
            edit.serial = serial
            edits[key, default: []].append(edit)
        }
    }

    /// The objects of steps that others have changed.
    var keys: some Sequence<UInt64> { edits.keys }

    /// What others have changed of an object, the oldest first.
    func edits(of key: UInt64) -> [Edit] { edits[key] ?? [] }

    /// The store goes on with steps of an earlier run, which knew of these.
    func restore(_ known: [UInt64: [Edit]], serial: UInt32) {
        edits.merge(known) { $0 + $1 }
        self.serial = max(self.serial, serial)
        if !known.isEmpty { mayPart = true }
    }

    /// What others have changed of an object since `log` was recorded; `nil` for nothing.
    private func edit(of key: UInt64, since log: ChangeLog) -> Edit? {
        guard let all = edits[key] else { return nil }
        var result: Edit?
        for edit in all where edit.serial > log.serial {
            guard var known = result else {
                result = edit
                continue
            }
            known.fields.formUnion(edit.fields)
            known.members.merge(edit.members) { $0.union($1) }
            known.isWhole = known.isWhole || edit.isWhole
            known.bindsObject = known.bindsObject || edit.bindsObject
            result = known
        }
        return result
    }

    /// The fields, except lists, that others have changed since `log` began: reverting keeps them.
    func fields(of key: UInt64, in log: ChangeLog) -> Set<Int> {
        edit(of: key, since: log)?.fields ?? []
    }

    /// Throws if taking back `log` would undo the work of others, or part their relationships.
    func check(_ log: ChangeLog) throws(StoreError) {
        if edits.isEmpty { return }
        var found: StoreError?
        var moved: StoreError?
        log.forEachReversed { entry in
            let error = StoreError.changedSince(
                class: entry.pointee.storedClass.name, row: entry.pointee.row)
            if let edit = edit(of: entry.pointee.key, since: log),
                edit.isWhole || edit.bindsObject && entry.pointee.kind != .updated
                    || parts(entry, from: edit)
            {
                found = error
            }
            if partsMoved(entry, in: log) { moved = error }
        }
        if let error = found ?? moved { throw error }
    }

    /// Whether taking back `entry` would part what others have made of relationships.
    private func parts(_ entry: UnsafePointer<ChangeLog.Entry>, from edit: Edit) -> Bool {
        let fields = entry.pointee.storedClass.fields.entries
        if entry.pointee.list.isThere {
            let relation = entry.pointee.list.relation
            guard let index = fields.firstIndex(where: { $0.coder === relation }),
                let members = edit.members[index]
            else { return false }
            return entry.pointee.list.parts.contains { part in
                part.removed.hasWord(in: members) || part.inserted.hasWord(in: members)
            }
        }
        // One side of a pair would come back alone.
        if entry.pointee.image?.isWhole == true, !edit.members.isEmpty { return true }
        return edit.fields.contains { index in
            guard let relation = fields[index].coder as? RelationCoder else { return false }
            return relation.leadsToOne
        }
    }
    /// Whether others have moved an object that would come to the list of `entry`, or leave it.
    private func partsMoved(
        _ entry: UnsafePointer<ChangeLog.Entry>, in log: ChangeLog
    ) -> Bool {
        guard entry.pointee.list.isThere, let relation = entry.pointee.list.relation,
            relation.hasInverse
        else { return false }
        func isMoved(_ word: UInt64) -> Bool {
            guard word != ObjectReferences.outsider, let edit = edit(of: word, since: log),
                let target = entry.pointee.storedClass.withContext({
                    $0.classesByNumber[Int(word >> 32)]
                }), let inverse = relation.inverse(in: target)
            else { return false }
            return edit.fields.contains { target.fields.entries[$0].coder === inverse }
        }
        return entry.pointee.list.parts.contains { part in
            part.removed.containsWord(where: isMoved) || part.inserted.containsWord(where: isMoved)
        }
    }
}
