/// Whether a store may rely on ``ObjectState/refersAsSaved``, and what it counts to set that bit.
final class ReferenceTrust {
    /// Rises with each reference that is read without becoming part of a relationship: its object
    /// is gone, or it stands in a value of the program's own.
    @exclusivity(unchecked) private(set) var oddReads = 0
    /// Whether the table of referrers gets only records whose references have changed.
    @exclusivity(unchecked) var passesOverKept = false
    /// Whether another store may have saved objects that have the bit.
    @exclusivity(unchecked) private(set) var isInDoubt = false

    @inline(__always)
    func noteOddRead() { oddReads &+= 1 }

    /// Other stores may have committed; `objects` are in memory.
    func doubt(_ classes: [StoredClass]) {
        isInDoubt = isInDoubt || classes.contains { $0.liveObjects > 0 }
    }

    /// Ends the doubt, by clearing the bits, if that is cheap beside a save of `count` objects.
    func endDoubt(_ classes: [StoredClass], savingObjects count: Int) {
        guard isInDoubt, classes.reduce(0, { $0 + $1.liveObjects }) <= 16 * count + 1024 else {
            return
        }
        for storedClass in classes {
            storedClass.forEachObject { $0.noteReferenceChange() }
        }
        isInDoubt = false
    }
}
