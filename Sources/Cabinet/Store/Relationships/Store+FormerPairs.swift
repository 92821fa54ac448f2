import CabinetBackend

// A record that was written before a relationship had an inverse, or by a program that did not
// know of it, may miss objects of the other side. The side that names the inverse is the one that
// counts: the other side is made from it. Only where a record never knew of the naming side, the
// naming side is made from the other. Objects that were deleted meanwhile are left out: no delete
// took them out of such records, and the next save would mark them as maintained.

extension Store {
    /// Puts into the relationships `unkept` of `object`, just read, what its record could not know.
    ///
    /// Cost: for the first object, a pass over the records of the other side; then a search in
    /// memory. To find deleted objects, a look-up for each of the first objects in the
    /// relationship, and a second pass if they are many. Nothing for objects that were written
    /// since.
    func completeRelations(of object: StoredObject, _ unkept: [UnkeptRelation]) throws {
        if unkept.isEmpty || readsProvisionally(object) { return }
        var rest = unkept[...]
        while let first = rest.first {
            let sides = rest.prefix { $0.relation === first.relation }
            rest = rest.dropFirst(sides.count)
            try complete(first.relation, of: object, Array(sides))
        }
    }

    private func complete(
        _ relation: RelationCoder, of object: StoredObject, _ sides: [UnkeptRelation]
    ) throws {
        guard let storedClass = object.storedClass else { return }
        let said = object.objects(in: relation)
        var objects = try said.filter { other in
            guard let side = sides.first(where: { $0.other === other.storedClass }) else {
                return true
            }
            // No record has it yet: the class made it, to be there.
            guard other.state.contains(.saved) else { return true }
            return try isThere(other, side.other) && agrees(other, with: object, storedClass, side)
        }
        var known = Set(objects.map { ObjectIdentifier($0) })
        for side in sides {
            for row in try missing(object.rowID, storedClass, side, isSilent: said.isEmpty)
            where !side.other.goneRows.contains(row) {
                let other = side.other.object(at: row)
                let isGone = other.state.contains(.deleted) && !other.state.contains(.saved)
                if !isGone, known.insert(ObjectIdentifier(other)).inserted {
                    objects.append(other)
                }
            }
        }
        if !relation.isMany { objects = Array(objects.prefix(1)) }
        guard !objects.elementsEqual(said, by: ===) else { return }
        relation.set(objects, at: object.address(of: relation))
    }

    /// Whether `other`, of class `storedClass`, has a record, or will have one.
    private func isThere(_ other: StoredObject, _ storedClass: StoredClass) throws -> Bool {
        guard other.state.isSuperset(of: [.fault, .saved]) else { return true }
        let known = annex(ExistingRowsCache.self) { _ in ExistingRowsCache() }.rows(of: storedClass)
        return try reading { reader throws(BackendError) in
            try known.contains(other.rowID, of: storedClass, in: reader)
        }
    }

    /// Whether `other`, which stands in the record of `object`, belongs there.
    private func agrees(
        _ other: StoredObject, with object: StoredObject, _ storedClass: StoredClass,
        _ side: UnkeptRelation
    ) throws -> Bool {
        if side.namesInverse(in: storedClass) {
            if side.inverse.isMany { return true }
            return try choice(of: other.rowID, storedClass, side) == object.rowID
        }
        let naming = try formerPairs(side.inverse, of: side.other, to: storedClass)
        guard naming.silent.contains(other.rowID) else {
            return naming.contains(object.rowID, of: other.rowID)
        }
        if side.inverse.isMany { return true }
        let led = try formerPairs(side.relation, of: storedClass, to: side.other)
        return led.owners(of: other.rowID).first == object.rowID
    }

    /// The row that the object in row `other` of the other side has in its relationship to one.
    private func choice(
        of other: RowID, _ storedClass: StoredClass, _ side: UnkeptRelation
    ) throws -> RowID? {
        let led = try formerPairs(side.inverse, of: side.other, to: storedClass)
        if led.kept.contains(other) { return led.target(of: other) }
        let naming = try formerPairs(side.relation, of: storedClass, to: side.other)
        if let own = led.target(of: other),
            naming.contains(other, of: own) || naming.silent.contains(own)
        {
            return own
        }
        return naming.owners(of: other).first
    }

    /// The rows of objects of the other side that name the one in `row`.
    private func missing(
        _ row: RowID, _ storedClass: StoredClass, _ side: UnkeptRelation, isSilent: Bool
    ) throws -> [RowID] {
        guard !side.namesInverse(in: storedClass) || (isSilent && side.word == .unknown) else {
            return []
        }
        return try formerPairs(side.inverse, of: side.other, to: storedClass).owners(of: row)
    }
}

extension UnkeptRelation {
    /// Whether the relationship is the side that names the inverse; one of both, if both do.
    fileprivate func namesInverse(in storedClass: StoredClass) -> Bool {
        if inverse.inverseKeyPath == nil { return true }
        if relation.inverseKeyPath == nil { return false }
        return (storedClass.number, relation.name) < (other.number, inverse.name)
    }
}
