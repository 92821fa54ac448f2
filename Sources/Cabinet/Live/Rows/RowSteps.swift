/// An object that enters a list, leaves it, moves, or stays: the slots of its values before and after.
struct RowEdit {
    let number: UInt64
    let old: Int?
    var new: Int?
    /// Whether it was in the list and has another content.
    let isChanged: Bool

    var isMoving: Bool { old != new }
}

/// What some edits do to the rows of a list.
struct RowSteps {
    let splice: RowSplice
    /// Where the objects stood that were in the list, and where they stand that are, in the order of the list.
    let (old, new): ([ListEdits.Placed], [ListEdits.Placed])

    /// - Parameter keys: with the slots of the objects in `rows` as they were.
    init(_ edits: [RowEdit], _ keys: RowKeys, in rows: RowTree) {
        var (old, staying, removed): ([ListEdits.Placed], [ListEdits.Placed], [Int]) = ([], [], [])
        for edit in edits {
            guard let slot = edit.old else { continue }
            let placed = ListEdits.Placed(
                index: keys.index(of: slot, in: rows), number: edit.number)
            old.append(placed)
            if edit.isMoving { removed.append(placed.index) } else { staying.append(placed) }
        }
        old.sort { $0.index < $1.index }
        removed.sort()
        var entering: [(number: UInt64, slot: Int)] = []
        for edit in edits where edit.isMoving {
            if let slot = edit.new { entering.append((edit.number, slot)) }
        }
        entering.sort { keys.isBefore($0.slot, $1.slot) }
        let splice = RowSplice(
            removed: removed,
            inserted: entering.map { (keys.index(of: $0.slot, in: rows), $0.number) })
        var new = staying.map {
            ListEdits.Placed(index: splice.newIndex(of: $0.index), number: $0.number)
        }
        for (place, object) in entering.enumerated() {
            new.append(
                ListEdits.Placed(
                    index: splice.newIndex(ofInserted: place), number: object.number))
        }
        new.sort { $0.index < $1.index }
        (self.splice, self.old, self.new) = (splice, old, new)
    }
}
