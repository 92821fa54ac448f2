extension RowPositions {
    /// Takes the positions of several terms in some rows, in any order.
    struct Collector {
        /// The place of a row among the rows, then a position in its text.
        private var places: [UInt64] = []
        private var isInOrder = true
        private var lengths: [UInt32]
        private var typos: [UInt8]

        init(rows: Int) {
            lengths = Array(repeating: 0, count: rows)
            typos = Array(repeating: .max, count: rows)
        }

        /// Takes note that a term stands in the text of the row at `place`.
        mutating func begin(_ place: Int, length: UInt32, typos: UInt8) {
            lengths[place] = length
            self.typos[place] = min(self.typos[place], typos)
        }

        mutating func append(_ position: UInt32, at place: Int) {
            let entry = UInt64(place) << 32 | UInt64(position)
            if let last = places.last, last >= entry { isInOrder = false }
            places.append(entry)
        }

        /// What was taken, of each row every position once.
        consuming func finish(_ index: RowIndex, hasTypos: Bool) -> RowPositions {
            if !isInOrder { places.sort() }
            var postings = Postings()
            postings.reserve(places.count)
            var found: [UInt8] = []
            var last = UInt64.max
            for entry in places where entry != last {
                let (place, position) = (Int(entry >> 32), UInt32(truncatingIfNeeded: entry))
                if entry >> 32 == last >> 32 {
                    postings.append(further: position)
                } else {
                    postings.append(index.rows[place], length: lengths[place], position: position)
                    if hasTypos { found.append(typos[place]) }
                }
                last = entry
            }
            return RowPositions(postings, typos: found)
        }
    }
}
