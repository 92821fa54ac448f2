import CabinetBackend

/// Makes one content of what this store and others have made of an object.
extension Store {
    /// Does with contested objects what `plan` says. The store reads as of the last commit.
    ///
    /// Objects whose relationships others have changed first become what these have saved, all of
    /// them, with their other sides; then what this store has changed is done again, with all that
    /// follows from it. So both sides of each relationship agree whatever the two have done.
    /// - Throws: why a delete was refused, or a record could not be read. Then what is pending is
    ///   as it was.
    func resolve(_ contests: [Contest], by plan: MergePlan) throws {
        take(plan.names)
        contestedNames = NameContests()
        guard !contests.isEmpty else {
            contested = [:]
            return
        }
        let notices = notices(among: contests.map(\.object))
        announceChange()
        do {
            // What others have done is no step of this store.
            try step(keeping: false) { try carryOut(plan) }
        } catch {
            for contest in contests { contested[contest.key] = contest.row }
            throw error
        }
        contested = [:]
        tell(notices)
    }

    private func carryOut(_ plan: MergePlan) throws {
        let changesOthers = !plan.reloads.isEmpty || !plan.revivals.isEmpty
        let others =
            changesOthers
            ? PendingRelations(of: self, except: plan.reloads + plan.burials + plan.revivals) : nil
        var reloaded: [StoredObject] = []
        for contest in plan.reloads { reload(contest.object, contest.storedClass, &reloaded) }
        for contest in plan.burials { bury(contest) }
        let merges = plan.merges.filter(\.changesRelations)
        // A list of theirs may hold an object that belongs elsewhere by its own relationship here.
        for merge in merges { try apply(merge, toMany: true) }
        for merge in merges { try apply(merge, toMany: false) }
        for contest in plan.revivals { revive(contest) }
        for contest in plan.deletes { try delete(contest.object) }
        others?.restore(in: self, butFor: plan.dropped)
        for merge in plan.merges where !merge.changesRelations { try takeOver(merge) }
    }

    /// What is to be done with contested objects.
    struct MergePlan {
        var merges: [ObjectMerge] = []
        /// Those that become what others have saved, perhaps only to begin with.
        var reloads: [Contest] = []
        /// Those that others have deleted, and that are deleted here too.
        var burials: [Contest] = []
        /// Those that others have deleted, and that are saved again.
        var revivals: [Contest] = []
        /// Those that are deleted again after a reload.
        var deletes: [Contest] = []
        /// Named buffers that become what others have saved.
        var names: [(name: String, bytes: [UInt8]?)] = []
        /// Objects that stay as the others have saved them.
        var dropped: Set<ObjectIdentifier> = []
    }

    /// What is to become of `contests`, by what `taking` has found.
    /// - Throws: ``StoreError/conflict(_:)``, what a closure in `policy` throws, or why a record
    ///   could not be read.
    func plan(
        _ contests: [Contest], _ taking: TakingUp, _ policy: ConflictPolicy
    ) throws -> MergePlan {
        let reader = taking.newer.reader
        var plan = MergePlan()
        var refused: [ObjectConflict] = []
        for conflict in newReferences(toGoneOf: taking) {
            switch try policy.resolution(of: conflict) {
            case .mine, .theirs: continue
            case .merge, .fields, .throw: refused.append(conflict)
            }
        }
        let scratch = ObjectMerge.Scratch()
        for contest in contests {
            let resolution = try policy.resolution(of: try describe(contest, reader))
            guard resolution != .throw,
                try add(contest, resolution, to: &plan, scratch, reader)
            else {
                refused.append(try describe(contest, reader))
                continue
            }
        }
        plan.names = try taking.names.resolve(policy, reader, refused, in: self)
        return plan
    }

    /// `false` if the two sides cannot be merged.
    private func add(
        _ contest: Contest, _ resolution: ConflictResolution, to plan: inout MergePlan,
        _ scratch: ObjectMerge.Scratch, _ reader: any BackendReader
    ) throws -> Bool {
        switch (contest.kind, resolution) {
        case (.deletedElsewhere, .mine): plan.revivals.append(contest)
        case (.deletedElsewhere, .theirs):
            plan.burials.append(contest)
            plan.dropped.insert(ObjectIdentifier(contest.object))
        case (.deletedHere, .mine):
            plan.reloads.append(contest)
            plan.deletes.append(contest)
        case (.deletedHere, .theirs), (.changed, .theirs):
            plan.reloads.append(contest)
            plan.dropped.insert(ObjectIdentifier(contest.object))
        case (.changed, .mine), (.changed, .merge), (.changed, .fields):
            let (object, storedClass) = (contest.object, contest.storedClass)
            guard storedClass.isDeclared, object.state.isDisjoint(with: [.fault, .unreadable])
            else { return true }
            var choice = ObjectMerge.Choice(takesMine: resolution == .mine)
            if case .fields(let sides) = resolution { choice.sides = sides }
            guard let merge = try merge(contest, choice, scratch, reader) else { return true }
            plan.merges.append(merge)
            if merge.changesRelations { plan.reloads.append(contest) }
        default: return false
        }
        return true
    }

    /// What becomes of a contested object; `nil` if its record is gone.
    private func merge(
        _ contest: Contest, _ choice: ObjectMerge.Choice, _ scratch: ObjectMerge.Scratch,
        _ reader: any BackendReader
    ) throws -> ObjectMerge? {
        let (object, storedClass) = (contest.object, contest.storedClass)
        if let base = contest.row.base {
            let merge = try withBuffer { record -> ObjectMerge? in
                guard try reader.value(of: object.rowID, in: storedClass.table, into: record)
                else { return nil }
                return ObjectMerge(
                    object, storedClass, base: base,
                    theirs: UnsafeRawBufferPointer(record.memory), choice, by: scratch, in: self)
            }
            if let merge { return merge }
        }
        guard let theirs = try savedCopy(of: object.rowID, storedClass, in: reader) else {
            return nil
        }
        return ObjectMerge(
            object, storedClass, base: try baseCopy(of: contest), theirs: theirs, choice,
            by: scratch, in: self)
    }

    /// Gives an object the values that others have changed; its relationships stay.
    private func takeOver(_ merge: ObjectMerge) throws {
        for (index, bytes) in merge.taken {
            try bytes.withUnsafeBytes { bytes in
                try merge.storedClass.fields.entries[index]
                    .read(bytes, into: merge.object, in: self)
            }
        }
    }

    /// Does again what this store has changed of an object that has become what others have saved.
    /// First its lists, then all else.
    private func apply(_ merge: ObjectMerge, toMany: Bool) throws {
        let entries = merge.storedClass.fields.entries
        for (index, outcome) in merge.kept {
            let isMany = (entries[index].coder as? RelationCoder)?.isMany ?? false
            guard isMany == toMany else { continue }
            switch outcome {
            case .value(let bytes):
                noteUpdate(of: merge.object)
                try bytes.withUnsafeBytes { bytes in
                    try entries[index].read(bytes, into: merge.object, in: self)
                }
            case .objects(let objects):
                guard let relation = entries[index].coder as? RelationCoder else { continue }
                assign(objects, to: relation, of: merge.object)
            }
        }
    }

    /// Makes `objects`, without those that are deleted, what stands in a relationship, and brings
    /// the other sides into line.
    func assign(
        _ objects: [StoredObject], to relation: RelationCoder, of object: StoredObject
    ) {
        noteUpdate(of: object)
        guard !object.state.contains(.deleted) else { return }
        var live = objects.filter { !$0.state.contains(.deleted) }
        if relation.isUnique {
            var seen: Set<ObjectIdentifier> = []
            live = live.filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        let old = object.objects(in: relation)
        if old.elementsEqual(live, by: ===) { return }
        object.noteReferenceChange()
        if relation.isMany {
            unsafeDowncast(relation, to: ManyCoder.self).replace(with: live, in: object)
        } else {
            unsafeDowncast(relation, to: OneCoder.self).set(live.first, in: object)
        }
        guard relation.hasInverse else { return }
        var others = OtherSides(isGrouping: false)
        let change = ListChange(from: old, to: live)
        for other in change.gone() { others.remove(object, from: other, relation, in: self) }
        for other in change.added() { others.add(object, to: other, relation, in: self) }
        others.finish(in: self)
    }

    /// An object that others have deleted is saved again, in its row.
    private func revive(_ contest: Contest) {
        let (object, storedClass) = (contest.object, contest.storedClass)
        changes.set(object, of: storedClass, to: .inserted)
        object.state.formUnion(.buried)
        if !storedClass.fields.relations.isEmpty { noteRelations(of: object, storedClass) }
        changes.stopReporting(object)
        reconcileEdits()
    }

    /// An object that others have deleted loses its pending changes, and those that refer to it by
    /// a relationship with another side lose it.
    private func bury(_ contest: Contest) {
        let (object, storedClass) = (contest.object, contest.storedClass)
        if object.state.isDisjoint(with: [.fault, .unreadable]) {
            var others = OtherSides(isGrouping: false)
            for relation in storedClass.fields.relations where relation.hasInverse {
                for other in object.objects(in: relation) {
                    others.remove(object, from: other, relation, in: self)
                }
            }
            others.finish(in: self)
        }
        changes.set(
            object, of: storedClass,
            to: object.state.intersection([.unreadable]).union(.deleted))
        object.state.formUnion(.buried)
    }
}
