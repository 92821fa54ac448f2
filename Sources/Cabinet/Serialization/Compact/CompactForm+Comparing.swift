import CabinetBackend

extension CompactForm {
    /// Whether both are the same value: keyed containers and the table of keys may be in any order.
    /// `false` where one cannot be read.
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
    /// Whether the value at `own` is the one at `position` of `other`.
    fileprivate func isSame(
        _ own: Range<Int>, as position: Range<Int>, of other: CompactSource, depth: Int
    ) throws -> Bool {
        guard own.count == position.count, depth < CompactForm.decodingDepth else { return false }
        if let elements = try content(of: Tag.unkeyed, at: own.lowerBound, end: own.upperBound) {
            guard
                let others = try other.content(
                    of: Tag.unkeyed, at: position.lowerBound, end: position.upperBound)
            else { return false }
            return try isSame(
                try self.elements(in: elements), as: try other.elements(in: others), of: other,
                depth: depth)
        }
        if let entries = try content(of: Tag.keyed, at: own.lowerBound, end: own.upperBound) {
            guard
                let others = try other.content(
                    of: Tag.keyed, at: position.lowerBound, end: position.upperBound)
            else { return false }
            let (first, second) = (try sorted(entries), try other.sorted(others))
            guard first.map(\.name) == second.map(\.name) else { return false }
            return try isSame(
                first.map(\.position), as: second.map(\.position), of: other, depth: depth)
        }
        return bytes(in: own).elementsEqual(other.bytes(in: position))
    }

    private func isSame(
        _ own: [Range<Int>], as positions: [Range<Int>], of other: CompactSource, depth: Int
    ) throws -> Bool {
        guard own.count == positions.count else { return false }
        for (one, two) in zip(own, positions) {
            guard try isSame(one, as: two, of: other, depth: depth + 1) else { return false }
        }
        return true
    }

    private func elements(in range: Range<Int>) throws -> [Range<Int>] {
        var found: [Range<Int>] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let next = try skip(position, end: range.upperBound)
            found.append(position..<next)
            position = next
        }
        return found
    }

    private func sorted(_ entries: Range<Int>) throws -> [(name: String, position: Range<Int>)] {
        var found: [(name: String, position: Range<Int>)] = []
        try forEachEntry(of: entries) { name, position in
            found.append((name, position..<(try skip(position, end: entries.upperBound))))
        }
        return found.inOrder { $0.name < $1.name }
    }
}
