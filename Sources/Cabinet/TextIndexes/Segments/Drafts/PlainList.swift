import CLibrary

/// A list of plain values in memory that grows in place where it can, without counting references and
/// without checking bounds. Its owner frees it, and makes no copies.
///
/// An array of tens of megabytes is copied whenever it grows, and takes twice the memory meanwhile; the
/// system moves large blocks by their pages. Only for code that has made sure of its indexes.
struct PlainList<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity = 0

    init() { base = Self.nothing }

    func deallocate() { if capacity > 0 { free(base) } }

    private static var nothing: UnsafeMutablePointer<Element> {
        UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment)
            ?? .allocate(capacity: 1)
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating set { base[index] = newValue }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow(by: 1) }
        (base + count).initialize(to: element)
        count &+= 1
    }

    /// Appends room for more elements, whose content is whatever the memory has.
    @inline(__always)
    mutating func append(uninitialized more: Int) {
        if count &+ more > capacity { grow(by: more) }
        count &+= more
    }

    /// Forgets all elements. Memory of more than 64 KiB is freed.
    mutating func removeAll() {
        count = 0
        guard capacity * MemoryLayout<Element>.stride > 1 << 16 else { return }
        free(base)
        base = Self.nothing
        capacity = 0
    }

    /// Forgets all elements, and keeps the memory.
    mutating func removeAllKeepingMemory() { count = 0 }

    /// Forgets the last `less` elements.
    mutating func removeLast(_ less: Int) { count -= less }

    @inline(never)
    private mutating func grow(by more: Int) {
        let wanted = max(count + more, capacity * 2, 64)
        let size = wanted * MemoryLayout<Element>.stride
        guard let memory = realloc(capacity > 0 ? base : nil, size) else {
            fatalError("No memory for \(size) bytes.")
        }
        base = memory.assumingMemoryBound(to: Element.self)
        capacity = wanted
    }
}

extension PlainList where Element == UInt8 {
    /// All elements, until the list is changed.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let start = count
        append(uninitialized: bytes.count)
        if let from = bytes.baseAddress {
            UnsafeMutableRawPointer(base + start).copyMemory(from: from, byteCount: bytes.count)
        }
    }

    /// Sets the number of 4 bytes at `offset`.
    @inline(__always)
    func set(_ number: UInt32, at offset: Int) {
        UnsafeMutableRawPointer(base + offset).storeBytes(of: number, as: UInt32.self)
    }
}
