import CabinetBackend

/// What a store may hold when it is opened, by what it has said before.
package struct ExpectedSaves {
    private let durability: Durability
    /// For each number of saves the attempts of which one is the last save, if it is there.
    private var candidates = [[0]]
    /// So many saves are there in any case.
    package private(set) var least = 0
    /// So many may be there.
    package var most: Int { candidates.count - 1 }

    package init(_ notes: [String], durability: Durability) {
        self.durability = durability
        for note in notes { LedgerNote(note).map { take($0) } }
    }

    /// The attempts that can have made save number `save`.
    package func attempts(_ save: Int) -> [Int] {
        candidates.indices.contains(save) ? candidates[save] : []
    }

    package mutating func take(_ note: LedgerNote) {
        switch note {
        case .began(let save, let attempt):
            if save == candidates.count { candidates.append([]) }
            candidates[save].append(attempt)
        case .acknowledged(let save):
            candidates[save].removeFirst(candidates[save].count - 1)
            if durability == .full { least = save }
        case .failed(let save): narrow(save - 1)
        case .opened(let saves, let attempt):
            candidates[saves] = [attempt]
            narrow(saves)
            // A save that an opening has shown must last.
            if durability == .full { least = saves }
        case .synced(let saves):
            narrow(saves)
            least = saves
        }
    }

    /// Takes note that no save beyond `saves` will ever be seen.
    private mutating func narrow(_ saves: Int) { candidates.removeSubrange((saves + 1)...) }
}
