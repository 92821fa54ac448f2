import CabinetBackend

/// The positions of a term in the texts of some rows.
struct RowPositions {
    /// Where the positions of each row begin; one more than there are rows.
    fileprivate(set) var starts: [UInt32] = [0]
    fileprivate(set) var positions: [UInt32] = []

    init(rows: Int) {
        starts.reserveCapacity(rows + 1)
        positions.reserveCapacity(rows)
    }

    /// Ends the positions of a row.
    mutating func endRow() { starts.append(UInt32(truncatingIfNeeded: positions.count)) }
    mutating func append(_ position: UInt32) { positions.append(position) }
}

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
        guard let first = terms.first else { return }
        var postings = Postings()
        var starts: [UInt32] = []
        for (place, row) in rows.enumerated() {
            starts.removeAll(keepingCapacity: true)
            let offset = UInt32(truncatingIfNeeded: first.offset)
            for position in first.places[place] where position >= offset {
                starts.append(position &- offset)
            }
            for other in terms.dropFirst() where !starts.isEmpty {
                Self.keep(in: &starts, other.places[place], other.offset)
            }
            guard !starts.isEmpty else { continue }
            if starts.count > limit { starts.removeLast(starts.count - limit) }
            postings.append(row, length: 0, starts)
        }
        self.init(postings, typos: [])
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

extension RowPositions {
    /// The positions in the row at `place`, in ascending order.
    fileprivate subscript(place: Int) -> ArraySlice<UInt32> {
        positions[Int(starts[place])..<Int(starts[place + 1])]
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
