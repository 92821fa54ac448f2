extension CompactForm {
    /// Whether both are the same value: keyed containers may have their entries, and the table of
    /// keys its keys, in any order. `false` where one cannot be read.
    static func areSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        if one.elementsEqual(other) { return true }
        guard one.count == other.count, let first = try? CompactSource(one),
            let second = try? CompactSource(other)
        else { return false }
        defer {
            first.close()
            second.close()
        }
        return
            (try? first.isSame(
                first.root..<first.end, as: second.root..<second.end, of: second, depth: 0))
            ?? false
    }
}

extension CompactSource {
    /// Whether the value at `own` is the one at `place` of `other`.
    fileprivate func isSame(
        _ own: Range<Int>, as place: Range<Int>, of other: CompactSource, depth: Int
    ) throws -> Bool {
        guard own.count == place.count, depth < CompactForm.decodingDepth else { return false }
        if let elements = try content(of: Tag.unkeyed, at: own.lowerBound, end: own.upperBound) {
            guard
                let others = try other.content(
                    of: Tag.unkeyed, at: place.lowerBound, end: place.upperBound)
            else { return false }
            return try isSame(
                try self.elements(in: elements), as: try other.elements(in: others), of: other,
                depth: depth)
        }
        if let entries = try content(of: Tag.keyed, at: own.lowerBound, end: own.upperBound) {
            guard
                let others = try other.content(
                    of: Tag.keyed, at: place.lowerBound, end: place.upperBound)
            else { return false }
            let (first, second) = (try sorted(entries), try other.sorted(others))
            guard first.map(\.name) == second.map(\.name) else { return false }
            return try isSame(
                first.map(\.place), as: second.map(\.place), of: other, depth: depth)
        }
        return bytes(in: own).elementsEqual(other.bytes(in: place))
    }

    private func isSame(
        _ own: [Range<Int>], as places: [Range<Int>], of other: CompactSource, depth: Int
    ) throws -> Bool {
        guard own.count == places.count else { return false }
        for (one, two) in zip(own, places) {
            guard try isSame(one, as: two, of: other, depth: depth + 1) else { return false }
        }
        return true
    }

    private func elements(in range: Range<Int>) throws -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let next = try skip(place, end: range.upperBound)
            found.append(place..<next)
            place = next
        }
        return found
    }

    private func sorted(_ entries: Range<Int>) throws -> [(name: String, place: Range<Int>)] {
        var found: [(name: String, place: Range<Int>)] = []
        try forEachEntry(of: entries) { name, place in
            found.append((name, place..<(try skip(place, end: entries.upperBound))))
        }
        return found.sorted { $0.name < $1.name }
    }
}
