/// A set of declared fields of one class, by their index in its ``FieldTable``.
struct FieldSet: Equatable {
    private var first: UInt64 = 0
    /// Those from the 65th on, 64 in each.
    private var more: [UInt64] = []
    /// Whether any field may be in it: which ones is not known.
    private(set) var isWhole = false

    static var whole: FieldSet {
        var fields = FieldSet()
        fields.isWhole = true
        return fields
    }

    var isEmpty: Bool { first == 0 && more.isEmpty && !isWhole }

    mutating func insert(_ field: Int) {
        if field < 64 {
            first |= 1 << UInt64(field)
            return
        }
        let word = field / 64 - 1
        while more.count <= word { more.append(0) }
        more[word] |= 1 << UInt64(field % 64)
    }

    mutating func formUnion(_ other: FieldSet) {
        // Nothing asks a whole set for its fields one by one.
        if isWhole { return }
        isWhole = other.isWhole
        first |= other.first
        while more.count < other.more.count { more.append(0) }
        for (word, bits) in other.more.enumerated() { more[word] |= bits }
    }

    func intersects(_ other: FieldSet) -> Bool {
        if isWhole { return !other.isEmpty }
        if other.isWhole { return !isEmpty }
        return first & other.first != 0 || zip(more, other.more).contains { $0 & $1 != 0 }
    }

    func contains(_ field: Int) -> Bool {
        var one = FieldSet()
        one.insert(field)
        return intersects(one)
    }
}
