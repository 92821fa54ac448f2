import CabinetBackend

/// Where an object stands in a list in sections. `Sendable`: a value.
public struct SectionPlace: Hashable, Sendable {
    /// The index of the section.
    public let section: Int
    /// The index within the section.
    public let index: Int
}

/// What leads from the sections of a list to those after some edits, as a view of them applies that.
struct SectionEdits {
    private(set) var sectionDeletions: [Int] = []
    private(set) var sectionInsertions: [Int] = []
    private(set) var deletions: [SectionPlace] = []
    private(set) var insertions: [SectionPlace] = []
    private(set) var moves: [(from: SectionPlace, to: SectionPlace)] = []
    private(set) var updates: [SectionPlace] = []

    var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty
            && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    /// - Parameters:
    ///   - edits: of the whole list.
    ///   - before: where its sections stood in it.
    ///   - after: where they stand now.
    ///   - compare: the order of the values of a former section and a present one: 0 if it is the same
    ///     section.
    init(
        _ edits: ListEdits, from before: [Range<Int>], to after: [Range<Int>],
        compare: (Int, Int) -> Int
    ) {
        compareSections(before.count, after.count, compare)
        let (gone, come) = (Set(sectionDeletions), Set(sectionInsertions))
        // What stays in its place may belong to another section, as its value has changed.
        let steps = edits.moves + edits.kept
        let moved = Set(edits.moves.map(\.to))
        var kept: Set<Int> = []
        for step in steps {
            let (from, to) = (
                Self.place(of: step.from, in: before), Self.place(of: step.to, in: after)
            )
            switch (gone.contains(from.section), come.contains(to.section)) {
            case (true, true): break
            case (true, false): insertions.append(to)
            case (false, true): deletions.append(from)
            case (false, false):
                kept.insert(step.to)
                let isSame = compare(from.section, to.section) == 0
                if !isSame || moved.contains(step.to) { moves.append((from, to)) }
            }
        }
        let stepped = Set(steps.map(\.to))
        for index in edits.deletions {
            let place = Self.place(of: index, in: before)
            if !gone.contains(place.section) { deletions.append(place) }
        }
        for index in edits.insertions {
            let place = Self.place(of: index, in: after)
            if !come.contains(place.section) { insertions.append(place) }
        }
        for index in edits.updates where kept.contains(index) || !stepped.contains(index) {
            updates.append(Self.place(of: index, in: after))
        }
    }

    private mutating func compareSections(
        _ before: Int, _ after: Int, _ compare: (Int, Int) -> Int
    ) {
        var (old, new) = (0, 0)
        while old < before || new < after {
            let order = old == before ? 1 : new == after ? -1 : compare(old, new)
            if order < 0 { sectionDeletions.append(old) }
            if order > 0 { sectionInsertions.append(new) }
            if order <= 0 { old += 1 }
            if order >= 0 { new += 1 }
        }
    }

    private static func place(of index: Int, in sections: [Range<Int>]) -> SectionPlace {
        let section = sections.dropLast().partitioningIndex { $0.upperBound > index }
        return SectionPlace(section: section, index: index - sections[section].lowerBound)
    }
}
