import CabinetBackend

/// What one encoding or decoding does with references otherwise than records have them: rows,
/// without those of deleted objects. Its own buffer holds it, so none disturbs another that runs.
class ReferenceMode {
    /// A reference to `row` was written.
    func note(_ row: RowID, in storedClass: StoredClass) {}

    /// A reference was written that stands in no relationship, or one that stands there was not.
    func noteInexact() {}
}

/// References as images in memory have them: everything comes back as it was.
final class ImageReferences: ReferenceMode {
    /// Objects that have no row to be found by, in the order in which they are referred to.
    @exclusivity(unchecked) var objects: [StoredObject] = []
}

/// An object outside the store is read for its references; undecodable values are passed over.
final class ReferencesOnly: ReferenceMode {}

extension DataBuffer {
    /// `nil` for the form of records.
    final var referenceMode: ReferenceMode? {
        mode.map { unsafeDowncast($0, to: ReferenceMode.self) }
    }

    /// The references of the image that the buffer holds; `nil` if it holds none.
    @inline(__always)
    final var image: ImageReferences? { mode == nil ? nil : referenceMode as? ImageReferences }

    /// Calls `body` while the buffer's references are as `mode` says.
    @inline(__always)
    final func withMode<Result>(
        _ mode: ReferenceMode, _ body: () throws -> Result
    ) rethrows -> Result {
        let outer = self.mode
        self.mode = mode
        defer { self.mode = outer }
        return try body()
    }
}

/// The rows that one object's content refers to.
final class WrittenReferences: ReferenceMode {
    struct Target: Hashable, Comparable {
        let classNumber: UInt8
        let row: RowID

        static func < (one: Target, other: Target) -> Bool {
            (one.classNumber, one.row) < (other.classNumber, other.row)
        }
    }

    /// In the order in which they were written, some of them several times.
    @exclusivity(unchecked) private var noted: [Target] = []
    /// Whether references into classes that do not track their referrers count too.
    let includesAllClasses: Bool
    /// Whether the content has what stands in the object's relationships, and nothing else.
    @exclusivity(unchecked) private(set) var isExact = true

    init(includesAllClasses: Bool = false) { self.includesAllClasses = includesAllClasses }

    var isEmpty: Bool { noted.isEmpty }
    var count: Int { noted.count }
    var targets: Set<Target> { Set(noted) }

    /// Each once, in order.
    func sorted() -> [Target] {
        if noted.count < 2 { return noted }
        noted.sort()
        var last = noted[0]
        var count = 1
        for target in noted.dropFirst() where target != last {
            last = target
            noted[count] = target
            count += 1
        }
        noted.removeLast(noted.count - count)
        return noted
    }

    /// Forgets them, for the next object. Room for up to `kept` of them stays.
    func removeAll(keepingCapacity kept: Int = 1 << 12) {
        noted.removeAll(keepingCapacity: noted.capacity <= kept)
        isExact = true
    }

    override func noteInexact() { isExact = false }

    override func note(_ row: RowID, in storedClass: StoredClass) {
        guard includesAllClasses || storedClass.tracksReferrers else { return }
        noted.append(Target(classNumber: storedClass.number, row: row))
    }
}
