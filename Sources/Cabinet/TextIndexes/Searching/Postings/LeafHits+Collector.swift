extension LeafHits {
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
        consuming func finish(_ index: RowIndex, hasTypos: Bool) -> LeafHits {
            if !isInOrder { places.sort() }
            var postings = Postings()
            var found: [UInt8] = []
            var own: [UInt32] = []
            var start = 0
            while start < places.count {
                let place = Int(places[start] >> 32)
                own.removeAll(keepingCapacity: true)
                while start < places.count, Int(places[start] >> 32) == place {
                    let position = UInt32(truncatingIfNeeded: places[start])
                    if own.last != position { own.append(position) }
                    start += 1
                }
                postings.append(index.rows[place], length: lengths[place], own)
                if hasTypos { found.append(typos[place]) }
            }
            return LeafHits(postings, typos: found)
        }
    }
}
