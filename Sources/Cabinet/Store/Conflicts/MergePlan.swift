import CabinetBackend

struct MergePlan {
    /// Values that become what others have saved, of objects whose relationships stay.
    var taken = TakenValues()
    /// Objects whose relationships others have changed.
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

    /// As ``TakingUp/mayBeOneSided``.
    var mayBeOneSided = false

    var changesObjects: Bool {
        !(merges.isEmpty && reloads.isEmpty && burials.isEmpty && revivals.isEmpty
            && deletes.isEmpty && forgotten.isEmpty)
    }
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
        plan.mayBeOneSided = taking.mayBeOneSided
        var refused: [ObjectConflict] = []
        for conflict in try newReferences(toGoneOf: taking) {
            switch try policy.resolution(of: conflict) {
            case .mine, .theirs: continue
            case .merge, .fields, .throw: refused.append(conflict)
            }
        }
        let tools = MergeTools(taking)
        var start = 0
        while start < contests.count {
            let storedClass = contests[start].storedClass
            var end = start + 1
            while end < contests.count, contests[end].storedClass === storedClass { end += 1 }
            refused += try add(contests[start..<end], storedClass, to: &plan, tools, policy)
            start = end
        }
        plan.names = try taking.names.resolve(policy, reader, refused, in: self)
        return plan
    }

    /// What the merges of a plan use one after the other.
    private final class MergeTools {
        let taking: TakingUp
        let scratch = ObjectMerge.Scratch()
        var reader: any BackendReader { taking.newer.reader }

        init(_ taking: TakingUp) { self.taking = taking }
    }

    /// Adds what is to become of contests of one class. Returns those that must not be resolved.
    private func add(
        _ contests: ArraySlice<Contest>, _ storedClass: StoredClass, to plan: inout MergePlan,
        _ tools: MergeTools, _ policy: ConflictPolicy
    ) throws -> [ObjectConflict] {
        var refused: [ObjectConflict] = []
        // Bytes of one object's records do not tell whether its relationships have two sides.
        let mustLookAtOtherSides =
            tools.taking.mayBeOneSided && storedClass.fields.relations.contains(where: \.hasInverse)
        let merge =
            mustLookAtOtherSides ? nil : RecordMerge(storedClass, tools.taking, in: self)
        func isToFind(_ contest: Contest) -> Bool {
            merge != nil && contest.theirs == nil && contest.hasRecords
        }
        let rows = contests.compactMap { isToFind($0) ? $0.object.rowID : nil }
        let lookup = RecordLookup(of: storedClass, by: tools.taking.run)
        lookup.begin(rows)
        if merge != nil, policy.isMerge, contests.count > 100 {
            plan.taken.reserve(contests.count, tools.taking.bases.count)
        }
        for contest in contests {
            // Each look-up follows the one before.
            let found = isToFind(contest) ? try lookup.next(in: tools.reader) : nil
            let resolution = try policy.resolution(of: try describe(contest, tools.taking))
            if let merge, contest.hasRecords, let choice = resolution.choice,
                merge.merge(contest, found, choice, into: &plan.taken)
            {
                continue
            }
            guard resolution != .throw, try add(contest, resolution, to: &plan, tools) else {
                refused.append(try describe(contest, tools.taking))
                continue
            }
        }
        return refused
    }

    /// `false` if the two sides cannot be merged.
    private func add(
        _ contest: Contest, _ resolution: ConflictResolution, to plan: inout MergePlan,
        _ tools: MergeTools
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
            guard let choice = resolution.choice,
                let merge = try merge(contest, choice, tools)
            else { return true }
            if merge.changesRelations {
                plan.merges.append(merge)
                plan.reloads.append(contest)
                return true
            }
            for (index, bytes) in merge.taken {
                bytes.withUnsafeBytes {
                    plan.taken.append($0, of: index, contest.object, contest.storedClass)
                }
            }
        default: return false
        }
        return true
    }

    /// What becomes of a contested object; `nil` if its record is gone or hand-written.
    private func merge(
        _ contest: Contest, _ choice: ObjectMerge.Choice, _ tools: MergeTools
    ) throws -> ObjectMerge? {
        let (object, storedClass) = (contest.object, contest.storedClass)
        guard storedClass.isDeclared, object.state.isDisjoint(with: [.fault, .unreadable]),
            let theirs = try savedCopy(of: object.rowID, storedClass, in: tools.reader)
        else { return nil }
        return ObjectMerge(
            object, storedClass, base: try baseCopy(of: contest, tools.taking), theirs: theirs,
            choice, mayBeOneSided: tools.taking.mayBeOneSided, by: tools.scratch, in: self)
    }
}

extension ConflictResolution {
    /// How a merge chooses the outcome of fields; `nil` if there is none.
    fileprivate var choice: ObjectMerge.Choice? {
        switch self {
        case .merge: ObjectMerge.Choice()
        case .mine: ObjectMerge.Choice(takesMine: true)
        case .fields(let sides): ObjectMerge.Choice(sides: sides)
        case .theirs, .throw: nil
        }
    }
}
