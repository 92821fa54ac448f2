extension CompactSource {
    static func damage(_ reason: String, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: reason))
    }

    func damage(at position: Int) -> DecodingError {
        Self.damage("the bytes at \(position) of the value stand for nothing", path(to: position))
    }

    func mismatch(_ type: Any.Type, at position: Int, end: Int) -> DecodingError {
        let path = path(to: position)
        guard let tag = try? tag(at: position, end: end) else { return damage(at: position) }
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

    /// The keys that lead to the value at `goal`, by a walk from the root: no decoder keeps them.
    func path(to goal: Int) -> [any CodingKey] {
        // What the walk meets is said without its own path.
        if isFindingPath { return [] }
        isFindingPath = true
        defer { isFindingPath = false }
        var path: [any CodingKey] = []
        var (position, end) = (root, self.end)
        while position < goal, path.count <= CompactForm.decodingDepth {
            guard let (key, inner) = try? step(to: goal, from: position, end: end) else { break }
            path.append(key)
            (position, end) = (inner.lowerBound, inner.upperBound)
        }
        return path
    }

    private func step(
        to goal: Int, from position: Int, end: Int
    ) throws -> (any CodingKey, Range<Int>)? {
        if let elements = try content(of: Tag.unkeyed, at: position, end: end) {
            var (position, index) = start(of: elements, before: goal)
            while position < elements.upperBound {
                let next = try skip(position, end: elements.upperBound)
                if goal < next {
                    walked[elements.lowerBound] = (position, index)
                    return (CompactForm.Key(intValue: index), position..<next)
                }
                (position, index) = (next, index + 1)
            }
        } else if let entries = try content(of: Tag.keyed, at: position, end: end) {
            var (position, index) = start(of: entries, before: goal)
            while position < entries.upperBound {
                let entry = position
                let name = try name(&position, end: entries.upperBound)
                let next = try skip(position, end: entries.upperBound)
                if goal < next {
                    walked[entries.lowerBound] = (entry, index)
                    return (CompactForm.Key(stringValue: name), position..<next)
                }
                (position, index) = (next, index + 1)
            }
        }
        return nil
    }

    /// Where the last walk through a container found what it looked for, if not behind `goal`: a
    /// type that tries one kind of value after the other fails at each element, and walks from the
    /// front would be quadratic.
    private func start(of content: Range<Int>, before goal: Int) -> (position: Int, index: Int) {
        guard let last = walked[content.lowerBound], last.position <= goal else {
            return (content.lowerBound, 0)
        }
        return last
    }
}
