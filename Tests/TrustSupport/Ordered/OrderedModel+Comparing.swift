import CabinetBackend
import CabinetTokyo

extension OrderedModel {
    /// Begins a walk that is gone on with later, whatever is committed in between.
    func beginWalk() throws {
        if walks.count == 4 { walks.removeFirst() }
        let cursor = try backend.entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        guard try cursor.next(run, limit: 1) else {
            return try expect(keys.isEmpty, "no first key")
        }
        try expect(run.next().map { [UInt8]($0.key) } == keys.first, "the first key")
        walks.append(Walk(cursor: cursor, rest: keys.dropFirst()))
    }

    func goOn() throws {
        guard !walks.isEmpty else { return }
        let place = random.below(walks.count)
        let run = EntryRun()
        let isOver = try !walks[place].cursor.next(run, limit: 1 + random.below(500))
        while let (key, _) = run.next() {
            try expect(
                walks[place].rest.popFirst().map { $0.elementsEqual(key) } ?? false,
                "an old walk met \([UInt8](key))")
        }
        guard isOver else { return }
        try expect(walks[place].rest.isEmpty, "an old walk ended early")
        walks.remove(at: place)
    }

    func compareRange() throws {
        var ends = [someKey(), someKey()]
        ends.sort { $0.lexicographicallyPrecedes($1) }
        let range = KeyRange(
            from: random.once(in: 8) ? nil : ends[0], to: random.once(in: 8) ? nil : ends[1])
        try compare(range, descending: random.once(in: 2))
        let count = try backend.count(of: range, in: table)
        try expect(count == keys(in: range).count, "\(count) keys in \(range)")
    }

    func compare(_ range: KeyRange, descending: Bool) throws {
        let cursor = try backend.entries(in: table, range: range, descending: descending)
        var wanted = Array(keys(in: range))
        if descending { wanted.reverse() }
        var place = 0
        let run = EntryRun()
        let limit = random.once(in: 2) ? Int.max : 1 + random.below(100)
        while try cursor.next(run, limit: limit) {
            while let (key, value) = run.next() {
                try expect(
                    place < wanted.count && wanted[place].elementsEqual(key),
                    "key \(place) of \(range): \([UInt8](key))")
                try expect(
                    values[wanted[place]]?.elementsEqual(value) ?? false, "a value in \(range)")
                place += 1
            }
        }
        try expect(place == wanted.count, "\(place) keys of \(wanted.count) in \(range)")
    }

    func compareRank() throws {
        let key = someKey()
        let wanted = place(of: key)
        let rank = try key.withUnsafeBytes { try backend.rank(of: $0, in: table) }
        try expect(rank == wanted, "rank \(rank) of \(key), not \(wanted)")
        let offset = random.below(keys.count + 2)
        let found = try backend.key(at: offset, in: table)
        try expect(
            found == (offset < keys.count ? keys[offset] : nil), "key at \(offset)")
    }

    func compareValue() throws {
        let key = random.once(in: 2) || keys.isEmpty ? someKey() : keys[random.below(keys.count)]
        let buffer = DataBuffer()
        let isThere = try key.withUnsafeBytes {
            try backend.value(forKey: $0, in: table, into: buffer)
        }
        let wanted = values[key]
        try expect(isThere == (wanted != nil), "key \(key) is there: \(isThere)")
        try expect(
            buffer.withUnsafeBytes { $0.elementsEqual(wanted ?? []) }, "the value of \(key)")
        try expect(
            try backend.count(of: table) == keys.count, "the count is not \(keys.count)")
    }

    /// How many keys stand before `key`.
    func place(of key: [UInt8]) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].lexicographicallyPrecedes(key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private func keys(in range: KeyRange) -> ArraySlice<[UInt8]> {
        let start = range.lower.map(place) ?? 0
        let end = range.upper.map(place) ?? keys.count
        return keys[start..<max(start, end)]
    }
}
