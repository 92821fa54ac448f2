extension CompactSource {
    static func damage(_ reason: String, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: reason))
    }

    /// The bytes at `place` are no value.
    func damage(at place: Int) -> DecodingError {
        Self.damage("the bytes at \(place) of the value stand for nothing", path(to: place))
    }

    /// The value at `place` is none of `type`.
    func mismatch(_ type: Any.Type, at place: Int, end: Int) -> DecodingError {
        let path = path(to: place)
        guard let tag = try? tag(at: place, end: end) else { return damage(at: place) }
        if tag == Tag.none {
            return .valueNotFound(
                type, .init(codingPath: path, debugDescription: "there is no value"))
        }
        return .typeMismatch(
            type,
            .init(
                codingPath: path,
                debugDescription: "a \(type) is wanted, and a value of another kind is there"))
    }

    /// The keys that lead to the value at `goal`, found by a walk from the root: no decoder keeps
    /// them.
    func path(to goal: Int) -> [any CodingKey] {
        // What the walk meets is said without its own path.
        if isFindingPath { return [] }
        isFindingPath = true
        defer { isFindingPath = false }
        var path: [any CodingKey] = []
        var (place, end) = (root, self.end)
        while place < goal, path.count <= CompactForm.decodingDepth {
            guard let (key, inner) = try? step(to: goal, from: place, end: end) else { break }
            path.append(key)
            (place, end) = (inner.lowerBound, inner.upperBound)
        }
        return path
    }

    private func step(
        to goal: Int, from place: Int, end: Int
    ) throws -> (any CodingKey, Range<Int>)? {
        if let elements = try content(of: Tag.unkeyed, at: place, end: end) {
            var (place, index) = (elements.lowerBound, 0)
            while place < elements.upperBound {
                let next = try skip(place, end: elements.upperBound)
                if goal < next { return (CompactForm.Key(intValue: index), place..<next) }
                (place, index) = (next, index + 1)
            }
        } else if let entries = try content(of: Tag.keyed, at: place, end: end) {
            var place = entries.lowerBound
            while place < entries.upperBound {
                let name = try name(&place, end: entries.upperBound)
                let next = try skip(place, end: entries.upperBound)
                if goal < next { return (CompactForm.Key(stringValue: name), place..<next) }
                place = next
            }
        }
        return nil
    }
}
