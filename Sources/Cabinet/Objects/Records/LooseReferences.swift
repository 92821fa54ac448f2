import CabinetBackend

/// What a store knows of loose relationships from and to the objects of one class: those out of which
/// nothing takes a target that is deleted.
///
/// Records and memory keep the rows of gone targets, so that whatever brings a target back brings back the
/// references to it, too. Reading passes them over.
final class LooseReferences {
    /// Whether a loose relationship may lead to objects of the class.
    private(set) var isTarget = false
    /// The classes that have such relationships to many.
    private var listOwners: [Unmanaged<StoredClass>] = []
    /// Counts deletes of objects that lists of the class's own objects may hold: never 0.
    private(set) var deletes: UInt32 = 1

    /// Rows of the class that were gone when a record came to refer to them, or since; some are
    /// there again. In the order in which that was noted.
    private(set) var gone: [RowID] = []
    /// The same rows, each once.
    private var noted = RowSet()
    /// Rows of the class that other stores have changed, likewise: they may refer to what is gone.
    private(set) var changedElsewhere: [RowID] = []
    /// How often these lists have begun anew.
    private(set) var generation = 0
    private static let most = 65_536

    /// A loose relationship leads to the class; `owner` has it, if it is to many.
    func noteOwner(_ owner: StoredClass?) {
        isTarget = true
        guard let owner else { return }
        let reference = Unmanaged.passUnretained(owner)
        if !listOwners.contains(where: { $0.toOpaque() == reference.toOpaque() }) {
            listOwners.append(reference)
        }
    }

    func note(gone row: RowID) {
        if !noted.contains(row) {
            if gone.count == Self.most { beginAnew() }
            noted.insert(row)
            gone.append(row)
        }
        for owner in listOwners {
            owner._withUnsafeGuaranteedRef { $0.loose.countDelete() }
        }
        noteHeldGone()
    }

    private func countDelete() { deletes = deletes == .max ? 1 : deletes + 1 }

    func noteHeldGone() {
        for owner in listOwners {
            owner._withUnsafeGuaranteedRef { if !$0.mayHoldGone { $0.mayHoldGone = true } }
        }
    }

    func note(changedElsewhere rows: [RowID]) {
        if changedElsewhere.count + rows.count > Self.most { return beginAnew() }
        changedElsewhere += rows
    }

    func beginAnew() {
        generation += 1
        (gone, changedElsewhere, noted) = ([], [], RowSet())
    }
}
