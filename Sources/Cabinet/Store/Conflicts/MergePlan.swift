import CabinetBackend

/// What is to be done with contested objects.
struct MergePlan {
    var merges: [ObjectMerge] = []
    /// Those that become what others have saved, perhaps only to begin with.
    var reloads: [Store.Contest] = []
    /// Those that others have deleted, and that are deleted here too.
    var burials: [Store.Contest] = []
    /// Those that others have deleted, and that are saved again.
    var revivals: [Store.Contest] = []
    /// Those that are deleted again after a reload.
    var deletes: [Store.Contest] = []
    /// Named buffers that become what others have saved.
    var names: [(name: String, bytes: [UInt8]?)] = []
    /// Objects that are deleted here and that relationships of others' objects are to forget.
    var forgotten: [(object: StoredObject, storedClass: StoredClass)] = []
    /// Objects that stay as the others have saved them.
    var dropped: Set<ObjectIdentifier> = []
}

extension Store {
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
}
