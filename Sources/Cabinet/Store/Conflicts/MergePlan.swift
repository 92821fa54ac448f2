import CabinetBackend

struct MergePlan {
    /// Values that become what others have saved, of objects whose relationships stay.
    var taken = TakenValues()
    /// Objects whose relationships others have changed.
    var merges: [ObjectMerge] = []
    /// Those that become what others have saved, perhaps only to begin with.
    var reloads: [Store.PendingConflict] = []
    /// Those that others have deleted, and that are deleted here too.
    var burials: [Store.PendingConflict] = []
    /// Those that others have deleted, and that are saved again.
    var revivals: [Store.PendingConflict] = []
    /// What those own that others have deleted with them, and that is unchanged here: it is saved again, too.
    var ownedByRevived: [StoredObject] = []
    /// Those that are deleted again after a reload.
    var deletes: [Store.PendingConflict] = []
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
    /// What is to become of `conflicts`, by what `taking` has found.
    /// - Throws: ``StoreError/conflict(_:)``, what a closure in `policy` throws, or why a record
    ///   could not be read.
    func plan(
        _ conflicts: [PendingConflict], _ taking: TakingUp, _ policy: ConflictPolicy
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
        while start < conflicts.count {
            let storedClass = conflicts[start].storedClass
            var end = start + 1
            while end < conflicts.count, conflicts[end].storedClass === storedClass { end += 1 }
            refused += try add(conflicts[start..<end], storedClass, to: &plan, tools, policy)
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

    /// Adds what is to become of conflicts of one class. Returns those that must not be resolved.
    private func add(
        _ conflicts: ArraySlice<PendingConflict>, _ storedClass: StoredClass,
        to plan: inout MergePlan,
        _ tools: MergeTools, _ policy: ConflictPolicy
    ) throws -> [ObjectConflict] {
        var refused: [ObjectConflict] = []
        // Bytes of one object's records do not tell whether its relationships have two sides.
        let mustLookAtOtherSides =
            tools.taking.mayBeOneSided && storedClass.fields.relations.contains(where: \.hasInverse)
        let merge =
            mustLookAtOtherSides ? nil : RecordMerge(storedClass, tools.taking, in: self)
        func isToFind(_ conflict: PendingConflict) -> Bool {
            merge != nil && conflict.theirs == nil && conflict.hasRecords
        }
        let rows = conflicts.compactMap { isToFind($0) ? $0.object.rowID : nil }
        let lookup = RecordLookup(of: storedClass, by: tools.taking.run)
        lookup.begin(rows)
        if merge != nil, policy.isMerge, conflicts.count > 100 {
            plan.taken.reserve(conflicts.count, tools.taking.bases.count)
        }
        for conflict in conflicts {
            // Each look-up follows the one before.
            let found = isToFind(conflict) ? try lookup.next(in: tools.reader) : nil
            let resolution = try policy.resolution(of: try describe(conflict, tools.taking))
            if let merge, conflict.hasRecords, let choice = resolution.choice,
                merge.merge(conflict, found, choice, into: &plan.taken)
            {
                continue
            }
            guard resolution != .throw, try add(conflict, resolution, to: &plan, tools) else {
                refused.append(try describe(conflict, tools.taking))
                continue
            }
        }
        return refused
    }

    /// `false` if the two sides cannot be merged.
    private func add(
        _ conflict: PendingConflict, _ resolution: ConflictResolution, to plan: inout MergePlan,
        _ tools: MergeTools
    ) throws -> Bool {
        switch (conflict.kind, resolution) {
        case (.deletedElsewhere, .mine): plan.revivals.append(conflict)
        case (.deletedElsewhere, .theirs):
            plan.burials.append(conflict)
            plan.dropped.insert(ObjectIdentifier(conflict.object))
        case (.deletedHere, .mine):
            plan.reloads.append(conflict)
            plan.deletes.append(conflict)
        case (.deletedHere, .theirs), (.changed, .theirs):
            plan.reloads.append(conflict)
            plan.dropped.insert(ObjectIdentifier(conflict.object))
        case (.changed, .mine), (.changed, .merge), (.changed, .fields):
            guard let choice = resolution.choice,
                let merge = try merge(conflict, choice, tools)
            else { return true }
            if merge.changesRelations {
                plan.merges.append(merge)
                plan.reloads.append(conflict)
                return true
            }
            for (index, bytes) in merge.taken {
                bytes.withUnsafeBytes {
                    plan.taken.append($0, of: index, conflict.object, conflict.storedClass)
                }
            }
        default: return false
        }
        return true
    }

    /// What becomes of a conflicting object; `nil` if its record is gone or hand-written.
    private func merge(
        _ conflict: PendingConflict, _ choice: ObjectMerge.Choice, _ tools: MergeTools
    ) throws -> ObjectMerge? {
        let (object, storedClass) = (conflict.object, conflict.storedClass)
        guard storedClass.isDeclared, object.state.isDisjoint(with: [.fault, .unreadable]),
            let theirs = try savedCopy(of: object.rowID, storedClass, in: tools.reader)
        else { return nil }
        return ObjectMerge(
            object, storedClass, base: try baseCopy(of: conflict, tools.taking), theirs: theirs,
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
