import CabinetBackend
import Synchronization

/// A list as it stood before an edit.
///
/// It shares the array's memory, so an edit copies that first and both can be compared. Only
/// `append` of ``Swift/Array`` is let through: it leaves what stood there where it was.
@usableFromInline
class FormerList {
    /// An array whose first ``count`` objects are the list.
    @exclusivity(unchecked) @usableFromInline final var array: [StoredObject]
    @exclusivity(unchecked) final private(set) var count: Int
    /// Objects whose relationships with the owner, in no store, have changed during the edit.
    @exclusivity(unchecked) final var passedBy: [StoredObject] = []

    init(_ array: [StoredObject]) {
        self.array = array
        count = array.count
    }

    /// Stands for `array` from now on.
    final func reset(to array: [StoredObject]) {
        self.array = array
        count = array.count
    }

    /// The object that was added to it at the end, if `list` is nothing but that.
    final func onlyAppended(in list: [StoredObject]) -> StoredObject? {
        list.count == count + 1 && isStart(of: list) ? list[count] : nil
    }

    final var objects: [StoredObject] { count == array.count ? array : Array(array[..<count]) }

    /// Whether `list` begins with all of this one, as is known without a look.
    final func isStart(of list: [StoredObject]) -> Bool { array.sharesMemory(with: list) }

    final func isEqual(to list: [StoredObject]) -> Bool {
        guard list.count == count else { return false }
        return isStart(of: list) || zip(array, list).allSatisfy { $0 === $1 }
    }
}

/// The lists that are being edited in place just now, and of which something holds the former ones.
///
/// Mostly there is one in the process, in a slot without a lock; others stand in a list.
@usableFromInline
enum EditedLists {
    /// How many there are, in all threads.
    @usableFromInline static let count = Atomic<Int>(0)
    /// Where the list lies that has the slot; 0 while it is free.
    private static let slot = Atomic<UInt>(0)
    /// Its former self, retained. Only the thread that has the slot uses it: see `Held`.
    private nonisolated(unsafe) static var slotFormer: Unmanaged<FormerList>?
    private static let others = Guarded<[Held]>([])
    private static let otherCount = Atomic<Int>(0)

    /// `@unchecked Sendable`, because only the thread that edits the list takes it out and uses it:
    /// it is found by the address of a field that belongs to that thread's objects.
    private struct Held: @unchecked Sendable {
        let list: FormerList
        let address: UInt
    }

    @inlinable @inline(__always)
    static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// The list in the field at `address` is about to be edited.
    static func begin(_ list: FormerList, at address: UnsafeRawPointer) {
        let address = UInt(bitPattern: address)
        if slot.compareExchange(expected: 0, desired: address, ordering: .acquiring).exchanged {
            slotFormer = .passRetained(list)
        } else {
            let held = Held(list: list, address: address)
            others.withLock { $0.append(held) }
            otherCount.add(1, ordering: .relaxed)
        }
        count.add(1, ordering: .relaxed)
    }

    /// The list in the field at `address` before the edit under way; `nil` if that is not kept.
    static func list(at address: UnsafeRawPointer) -> FormerList? {
        let address = UInt(bitPattern: address)
        if slot.load(ordering: .relaxed) == address { return slotFormer?.takeUnretainedValue() }
        if otherCount.load(ordering: .relaxed) == 0 { return nil }
        return others.withLock { lists in lists.last { $0.address == address }?.list }
    }

    /// The edit of the field at `address` has ended. Returns the list before it, if kept.
    @discardableResult
    static func end(at address: UnsafeRawPointer) -> FormerList? {
        if isEmpty { return nil }
        let address = UInt(bitPattern: address)
        if slot.load(ordering: .relaxed) == address {
            let former = slotFormer.take()
            slot.store(0, ordering: .releasing)
            count.subtract(1, ordering: .relaxed)
            return former?.takeRetainedValue()
        }
        let found = others.withLock { lists -> Held? in
            // The one that began last, mostly.
            guard let index = lists.lastIndex(where: { $0.address == address }) else { return nil }
            return index == lists.count - 1 ? lists.removeLast() : lists.remove(at: index)
        }
        guard let found else { return nil }
        otherCount.subtract(1, ordering: .relaxed)
        count.subtract(1, ordering: .relaxed)
        return found.list
    }

    /// Lets the list be appended to without a copy: its former self takes the new array.
    @usableFromInline @inline(never)
    static func willAppend(
        to list: [StoredObject], at address: UnsafeRawPointer
    ) -> FormerList? {
        guard let former = self.list(at: address), former.isStart(of: list) else { return nil }
        former.array = []
        return former
    }
}

// In relationships these, more special than the standard library's, are what a call means: they
// keep an edit from being compared with the whole list.
extension Array where Element: StoredObject {
    /// Adds `object` at the end, as the standard library's method does.
    @inlinable @inline(__always)
    public mutating func append(_ object: __owned Element) {
        if EditedLists.isEmpty { return appendOnly(object) }
        let former = willAppend()
        appendOnly(object)
        if let former { didAppend(former) }
    }

    /// Adds `objects` at the end, as the standard library's method does.
    @inlinable
    public mutating func append<Objects: Sequence>(
        contentsOf objects: __owned Objects
    ) where Objects.Element == Element {
        if EditedLists.isEmpty { return appendAll(objects) }
        let former = willAppend()
        appendAll(objects)
        if let former { didAppend(former) }
    }

    /// Adds `objects` at the end, as the standard library's operator does.
    @inlinable
    public static func += <Objects: Sequence>(
        list: inout [Element], objects: Objects
    ) where Objects.Element == Element {
        list.append(contentsOf: objects)
    }

    @inlinable
    mutating func willAppend() -> FormerList? {
        let address = withUnsafeMutablePointer(to: &self) { UnsafeRawPointer($0) }
        return EditedLists.willAppend(to: unsafeBitCast(self, to: [StoredObject].self), at: address)
    }

    @inlinable
    func didAppend(_ former: FormerList) {
        former.array = unsafeBitCast(self, to: [StoredObject].self)
    }
}

extension Array {
    /// The standard library's `append`.
    @inlinable @inline(__always)
    mutating func appendOnly(_ element: __owned Element) { append(element) }

    /// The standard library's `append(contentsOf:)`.
    @inlinable @inline(__always)
    mutating func appendAll<Elements: Sequence>(
        _ elements: __owned Elements
    ) where Elements.Element == Element {
        append(contentsOf: elements)
    }
}
