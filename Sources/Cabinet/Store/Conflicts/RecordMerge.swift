import CLibrary
import CabinetBackend

/// Merges objects of one class by the bytes of their records, field by field, where no other store
/// has changed relationships: without copies of the objects, and without a block of memory for each.
final class RecordMerge {
    private unowned let store: Store
    private let storedClass: StoredClass
    private let shape: RecordShape
    private let isRelation: [Bool]
    private let coders: [FieldCoder]
    private let offsets: [Int]
    private let mine = DataBuffer()
    private let bases: [UInt8]
    private let operations: [UInt8]

    /// `nil` if the class writes its content itself. The conflicts are those of `taking`.
    init?(_ storedClass: StoredClass, _ taking: TakingUp, in store: Store) {
        guard storedClass.isDeclared else { return nil }
        let entries = storedClass.fields.entries
        (self.store, self.storedClass) = (store, storedClass)
        shape = RecordShape(entries)
        isRelation = entries.map { $0.coder is RelationCoder }
        coders = entries.map(\.coder)
        offsets = entries.map(\.offset)
        (bases, operations) = (taking.bases, taking.newer.changes.operations ?? [])
    }

    /// Merges the object of `conflict`, whose records are known: `found` is the others', unless it
    /// is at hand.
    func merge(
        _ conflict: Store.PendingConflict, _ found: UnsafeRawBufferPointer?,
        _ choice: ObjectMerge.Choice,
        into taken: inout TakenValues
    ) -> Bool {
        guard let base = conflict.base else { return false }
        return bases.withUnsafeBytes { bases in
            operations.withUnsafeBytes { operations in
                let theirs = conflict.theirs.map {
                    UnsafeRawBufferPointer(rebasing: operations[$0])
                }
                guard let theirs = theirs ?? found else { return false }
                return merge(
                    conflict.object, base: UnsafeRawBufferPointer(rebasing: bases[base]),
                    theirs: theirs, choice, into: &taken)
            }
        }
    }

    /// Adds to `taken` the values of `object` that become what the other store has saved; what is
    /// pending stays in all other fields.
    ///
    /// - Parameters:
    ///   - base: the record that both changes are based on.
    ///   - theirs: the record that the other store has saved.
    /// - Returns: `false`, with nothing added, if the bytes do not do: the records are of another
    ///   layout, or relationships have changed there.
    private func merge(
        _ object: StoredObject, base: UnsafeRawBufferPointer, theirs: UnsafeRawBufferPointer,
        _ choice: ObjectMerge.Choice, into taken: inout TakenValues
    ) -> Bool {
        guard let baseStart = store.codec.contentOffset(of: base, in: storedClass),
            let start = store.codec.contentOffset(of: theirs, in: storedClass),
            let before = base.baseAddress, let now = theirs.baseAddress
        else { return false }
        let (count, isByChanges) = (taken.count, choice.isByChanges)
        var (old, new) = (baseStart, start)
        for index in isRelation.indices {
            guard let oldEnd = shape.end(of: index, from: old, in: before, base.count),
                let newEnd = shape.end(of: index, from: new, in: now, theirs.count)
            else {
                taken.removeAll(behind: count)
                return false
            }
            let size = newEnd &- new
            let former = UnsafeRawBufferPointer(start: before + old, count: oldEnd &- old)
            let value = UnsafeRawBufferPointer(start: now + new, count: size)
            let isSame = former.count == size && memcmp(before + old, now + new, size) == 0
            (old, new) = (oldEnd, newEnd)
            if isSame, isByChanges { continue }
            let side = choice.side(of: storedClass.fields.entries[index])
            if isRelation[index] {
                if isSame, side != .theirs { continue }
                taken.removeAll(behind: count)
                return false
            }
            let takesTheirs =
                switch side {
                case .mine: false
                case .theirs: true
                case nil: !isSame && isUnchanged(index, in: object, since: former)
                }
            if takesTheirs { taken.append(value, of: index, object, storedClass) }
        }
        return true
    }

    /// Whether a field of `object` holds what the record had that its changes are based on.
    private func isUnchanged(
        _ index: Int, in object: StoredObject, since former: UnsafeRawBufferPointer
    ) -> Bool {
        mine.removeAll()
        mine.setContext(store)
        coders[index].write(at: UnsafeRawPointer(object.address(at: offsets[index])), to: mine)
        withExtendedLifetime(object) {}
        let bytes = UnsafeRawBufferPointer(mine.memory)
        if let one = bytes.baseAddress, let other = former.baseAddress, bytes.count == former.count,
            memcmp(one, other, bytes.count) == 0
        {
            return true
        }
        return coders[index].type.areSame(bytes, former)
    }
}
