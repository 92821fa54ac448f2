extension ObjectList: MutableCollection, RangeReplaceableCollection {
    /// A list of `objects`, in their order.
    public init<Objects: Sequence>(_ objects: Objects) where Objects.Element == Element {
        if let list = objects as? ObjectList {
            self = list
        } else {
            append(contentsOf: objects)
        }
    }

    /// As ``init(_:)``, not generic: an empty list, as most are at first, costs nothing.
    init(array objects: [Element]) {
        self.init()
        if objects.isEmpty { return }
        let own = ownSlots(room: objects.count)
        objects.withUnsafeBufferPointer { own.append($0) }
    }

    /// Takes memory for `count` objects in all, if that is more than there are: of a large number, for
    /// 1,048,576 more at most, as lists grow by themselves.
    public mutating func reserveCapacity(_ count: Int) {
        guard count > self.count else { return }
        let room = Swift.min(count - self.count, 1 << 20)
        ownSlots(room: room).reserveBytes(room)
    }

    public mutating func append(_ object: Element) { ownSlots(room: 1).append(object) }

    /// Appends `objects`. The rows of another list that are no objects yet stay rows.
    public mutating func append<Objects: Sequence>(
        contentsOf objects: Objects
    ) where Objects.Element == Element {
        if let list = objects as? ObjectList {
            guard let other = list.slots else { return }
            ownSlots(room: list.count).append(contentsOf: other, 0..<list.count)
        } else {
            let own = ownSlots(room: objects.underestimatedCount)
            // Of an array, without asking for one object after the other.
            let done: Void? = objects.withContiguousStorageIfAvailable { own.append($0) }
            if done == nil { for object in objects { own.append(object) } }
        }
    }

    /// Replaces what stands at `positions` by `objects`. Makes no object.
    public mutating func replaceSubrange<Objects: Collection>(
        _ positions: Range<Int>, with objects: Objects
    ) where Objects.Element == Element {
        precondition(
            positions.lowerBound >= 0 && positions.upperBound <= count, "no places \(positions)")
        if objects.isEmpty {
            if !positions.isEmpty { ownSlots().remove(positions) }
        } else if positions.isEmpty, positions.lowerBound == count {
            append(contentsOf: objects)
        } else {
            var new = ObjectList()
            new.reserveCapacity(count - positions.count + objects.count)
            new.append(self, 0..<positions.lowerBound)
            new.append(contentsOf: objects)
            new.append(self, positions.upperBound..<count)
            self = new
        }
    }

    /// Exchanges two objects. Makes none.
    public mutating func swapAt(_ one: Int, _ other: Int) {
        precondition(indices.contains(one) && indices.contains(other), "no \(one) and \(other)")
        ownSlots().swap(one, other)
    }

    @usableFromInline
    mutating func set(_ object: Element, at position: Int) {
        precondition(indices.contains(position), "no object at \(position) of \(count)")
        ownSlots().set(object, at: position)
    }

    private mutating func append(_ list: ObjectList, _ positions: Range<Int>) {
        guard let other = list.slots else { return }
        ownSlots().append(contentsOf: other, positions)
    }

    /// Memory that no other list shares; if it must be made, with room for `room` more.
    private mutating func ownSlots(room: Int = 0) -> ObjectSlots {
        if isKnownUniquelyReferenced(&slots), let slots { return slots }
        let own = slots?.copy(room: Swift.max(room, 0)) ?? ObjectSlots(capacity: room)
        slots = own
        return own
    }
}
