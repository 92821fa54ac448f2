import CabinetBackend

/// Numbers of objects in an order, as a tree of counted nodes: a copy shares its nodes with the
/// original, and a change makes new ones only of those that are shared, on one way from the root.
///
/// Every operation at one place takes logarithmic time.
struct RowTree {
    private var root: Node?

    init() {}

    /// The tree of `ids`, in their order.
    init(_ ids: [UInt64]) {
        var level = stride(from: 0, to: ids.count, by: Node.filled).map {
            Node(ids: Array(ids[$0..<min($0 + Node.filled, ids.count)]))
        }
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: Node.filled).map {
                Node(children: Array(level[$0..<min($0 + Node.filled, level.count)]))
            }
        }
        root = level.first
    }

    var count: Int { root?.count ?? 0 }

    subscript(index: Int) -> UInt64 {
        let (node, place) = node(at: index)
        return node.ids[place]
    }

    /// The lowest node in which the number at `index` stands, and where.
    private func node(at index: Int) -> (node: Node, place: Int) {
        guard var node = root else { preconditionFailure("a number of an empty tree") }
        var rest = index
        while !node.isLowest {
            let place = node.place(of: &rest)
            node = node.children[place]
        }
        return (node, rest)
    }

    /// The first index whose number is not before something; the numbers that are come first.
    func partition(_ isBefore: (UInt64) -> Bool) -> Int {
        guard var node = root else { return 0 }
        var index = 0
        while !node.isLowest {
            let children = node.children
            let place = children.dropLast().partitioningIndex { !isBefore($0.last) }
            for child in children[..<place] { index += child.count }
            node = children[place]
        }
        return index + node.ids.partitioningIndex { !isBefore($0) }
    }

    mutating func insert(_ id: UInt64, at index: Int) {
        guard makeOwnRoot(), let root else {
            root = Node(ids: [id])
            return
        }
        if let second = root.insert(id, at: index) { self.root = Node(children: [root, second]) }
    }

    mutating func remove(at index: Int) {
        guard makeOwnRoot(), let root else { return }
        root.remove(at: index)
        if root.count == 0 {
            self.root = nil
            return
        }
        while let top = self.root, top.children.count == 1 { self.root = top.children[0] }
    }

    /// Keeps the first `count` numbers alone.
    mutating func truncate(to count: Int) {
        while self.count > count { remove(at: self.count - 1) }
    }

    private mutating func makeOwnRoot() -> Bool {
        if root == nil { return false }
        if !isKnownUniquelyReferenced(&root), let shared = root { root = Node(copying: shared) }
        return true
    }

    /// Calls `body` with the numbers of a range, in their order.
    func forEach(in range: Range<Int>, _ body: (UInt64) -> Void) {
        var index = range.lowerBound
        while index < range.upperBound {
            let (node, place) = node(at: index)
            let end = min(node.ids.count, place + range.upperBound - index)
            for id in node.ids[place..<end] { body(id) }
            index += end - place
        }
    }

    /// Calls `body` with the numbers that stand in no node of `other`, and their indices.
    func forEach(notSharedWith other: RowTree, _ body: (Int, UInt64) -> Void) {
        var known: Set<ObjectIdentifier> = []
        other.root?.collect(&known)
        root?.forEach(besides: known, from: 0, body)
    }
}

extension RowTree {
    /// A lowest node, with numbers, or one with nodes.
    fileprivate final class Node {
        /// How many numbers or nodes a node holds at most, and at first.
        static let (most, filled) = (128, 96)

        var ids: [UInt64]
        var children: [Node]
        var count: Int

        init(ids: [UInt64]) { (self.ids, children, count) = (ids, [], ids.count) }

        init(children: [Node]) {
            (ids, self.children) = ([], children)
            count = children.reduce(0) { $0 + $1.count }
        }

        init(copying node: Node) {
            (ids, children, count) = (node.ids, node.children, node.count)
        }

        var isLowest: Bool { children.isEmpty }
        var size: Int { isLowest ? ids.count : children.count }

        /// The last number; there is one.
        var last: UInt64 {
            var node = self
            while !node.isLowest { node = node.children[node.children.count - 1] }
            return node.ids[node.ids.count - 1]
        }

        /// The child in which the number at `index` stands, which becomes the index there.
        func place(of index: inout Int) -> Int {
            var place = 0
            while place < children.count - 1, index >= children[place].count {
                index -= children[place].count
                place += 1
            }
            return place
        }

        /// The second half, if the node had to be divided. The node is not shared.
        func insert(_ id: UInt64, at index: Int) -> Node? {
            count += 1
            if isLowest {
                ids.insert(id, at: index)
                guard ids.count > Self.most else { return nil }
                let second = Node(ids: Array(ids[(ids.count / 2)...]))
                ids.removeLast(second.count)
                count -= second.count
                return second
            }
            var rest = index
            let place = place(of: &rest)
            makeOwn(place)
            guard let added = children[place].insert(id, at: rest) else { return nil }
            children.insert(added, at: place + 1)
            guard children.count > Self.most else { return nil }
            let second = Node(children: Array(children[(children.count / 2)...]))
            children.removeLast(second.children.count)
            count -= second.count
            return second
        }

        func remove(at index: Int) {
            count -= 1
            if isLowest {
                ids.remove(at: index)
                return
            }
            var rest = index
            let place = place(of: &rest)
            makeOwn(place)
            children[place].remove(at: rest)
            if children[place].size == 0 {
                children.remove(at: place)
            } else if children[place].size < Self.most / 4, children.count > 1 {
                merge(at: min(place, children.count - 2))
            }
        }

        /// Makes one node of two neighbours, if they have room in it.
        private func merge(at place: Int) {
            let (one, other) = (children[place], children[place + 1])
            guard one.size + other.size <= Self.filled else { return }
            children[place] =
                one.isLowest
                ? Node(ids: one.ids + other.ids) : Node(children: one.children + other.children)
            children.remove(at: place + 1)
        }

        private func makeOwn(_ place: Int) {
            if !isKnownUniquelyReferenced(&children[place]) {
                children[place] = Node(copying: children[place])
            }
        }

        func collect(_ found: inout Set<ObjectIdentifier>) {
            found.insert(ObjectIdentifier(self))
            for child in children { child.collect(&found) }
        }

        func forEach(
            besides known: Set<ObjectIdentifier>, from start: Int, _ body: (Int, UInt64) -> Void
        ) {
            if known.contains(ObjectIdentifier(self)) { return }
            for (place, id) in ids.enumerated() { body(start + place, id) }
            var start = start
            for child in children {
                child.forEach(besides: known, from: start, body)
                start += child.count
            }
        }
    }
}
