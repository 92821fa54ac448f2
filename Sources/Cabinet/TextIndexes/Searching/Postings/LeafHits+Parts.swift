import CabinetTextSearch

extension LeafHits {
    /// The rows in which terms of a part of texts stand at their distances from the first one.
    /// - Parameters:
    ///   - terms: of each its positions in the texts of `rows`, and the distance.
    ///   - rows: in ascending order.
    ///   - limit: so many places of a row count, the first ones.
    init(
        partOf terms: [(places: RowPositions, offset: Int)], in rows: [UInt32], limit: Int
    ) {
        self.init()
        guard !terms.isEmpty else { return }
        let marks = Self.marks(partOf: terms, rows: rows.count)
        var postings = Postings()
        postings.reserve(rows.count)
        for (place, row) in rows.enumerated() {
            let mark = marks[place]
            if mark == RowPositions.none { continue }
            if mark < RowPositions.several {
                postings.append(row, length: 0, position: mark)
                continue
            }
            let starts = Self.starts(partOf: terms, at: place)
            if !starts.isEmpty { postings.append(row, length: 0, starts.prefix(limit)) }
        }
        self.init(postings, typos: [])
    }

    /// Of each row where a part begins if it is there once, as a mark of ``RowPositions``; rows of which a term
    /// has several positions have to be asked. Term after term: a loop over the rows that only compares has
    /// nothing to wait for.
    private static func marks(
        partOf terms: [(places: RowPositions, offset: Int)], rows: Int
    ) -> [UInt32] {
        var marks = [UInt32](repeating: 0, count: rows)
        marks.withUnsafeMutableBufferPointer { marks in
            for (number, term) in terms.enumerated() {
                let offset = UInt32(truncatingIfNeeded: term.offset)
                term.places.marks.withUnsafeBufferPointer { own in
                    for place in 0..<marks.count {
                        marks[place] = joined(
                            marks[place], own[place], offset, isFirst: number == 0)
                    }
                }
            }
        }
        return marks
    }

    /// Where a part begins by the marks of its terms up to one, and by the mark of that one.
    @inline(__always)
    private static func joined(
        _ mark: UInt32, _ own: UInt32, _ offset: UInt32, isFirst: Bool
    ) -> UInt32 {
        let (none, several) = (RowPositions.none, RowPositions.several)
        if mark == none || own == none { return none }
        if mark >= several || own >= several { return several }
        // A term nearer to the beginning than its distance is none of this part.
        let start = own >= offset ? own &- offset : none
        return isFirst || start == mark ? start : none
    }

    /// Where a part begins in the text of the row at `place`.
    private static func starts(
        partOf terms: [(places: RowPositions, offset: Int)], at place: Int
    ) -> [UInt32] {
        let offset = UInt32(truncatingIfNeeded: terms[0].offset)
        var starts: [UInt32] = []
        for position in terms[0].places[place] where position >= offset {
            starts.append(position &- offset)
        }
        for other in terms.dropFirst() where !starts.isEmpty {
            keep(in: &starts, other.places[place], other.offset)
        }
        return starts
    }

    /// Keeps those of `starts` at whose distance `offset` one of `positions` is.
    private static func keep(
        in starts: inout [UInt32], _ positions: ArraySlice<UInt32>, _ offset: Int
    ) {
        let offset = UInt32(truncatingIfNeeded: offset)
        let kept = starts.withUnsafeMutableBufferPointer { starts in
            positions.withUnsafeBufferPointer { positions in
                var (kept, other) = (0, 0)
                for start in starts {
                    let wanted = start &+ offset
                    while other < positions.count, positions[other] < wanted { other &+= 1 }
                    guard other < positions.count else { break }
                    guard positions[other] == wanted else { continue }
                    starts[kept] = start
                    kept &+= 1
                }
                return kept
            }
        }
        starts.removeLast(starts.count - kept)
    }
}

extension [TermPattern] {
    /// Of the terms of a part of texts, as few as have all of its letters.
    var covering: [TermPattern] {
        var chosen: [TermPattern] = []
        var place = 0
        while place < count {
            chosen.append(self[place])
            if place == count - 1 { break }
            place = Swift.min(place + GramTokens.length, count - 1)
        }
        return chosen
    }
}
