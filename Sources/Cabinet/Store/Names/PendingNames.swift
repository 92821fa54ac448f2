import CabinetBackend

/// The named buffers that the next save sets or removes, copied one behind the other: setting a
/// name allocates nothing of its own.
final class PendingNames {
    private enum Change {
        case set(Range<Int>)
        case remove
    }

    private struct Trouble {
        let writeError: (any Error)?
        /// Whether the buffer was written or read in another store.
        let isForeign: Bool
    }

    @exclusivity(unchecked) private var names = NameIndex()
    /// By the names' numbers.
    @exclusivity(unchecked) private var changes: [Change] = []
    /// The few names whose buffers hold an error or references of another store.
    @exclusivity(unchecked) private var troubles: [Int: Trouble] = [:]
    /// The copies; they hold no store, which would hold them in turn.
    @exclusivity(unchecked) private var copies = emptyCopies()
    /// How many bytes of `copies` belong to no name any more.
    @exclusivity(unchecked) private var wasted = 0

    var isEmpty: Bool { changes.isEmpty }
    var count: Int { changes.count }

    /// The names as UTF-8, which tells apart what is equal as a `String`.
    var all: [[UInt8]] { changes.indices.map { [UInt8](names[$0]) } }

    /// Calls `body` with the UTF-8 of each name.
    func forEachName(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        for number in changes.indices { try body(names[number]) }
    }

    /// Keeps a copy of `buffer` for `name`, or that the name goes.
    func set(_ buffer: DataBuffer?, for name: String, in store: ObjectContext) {
        var name = name
        let number = name.withUTF8 { names.number(of: UnsafeRawBufferPointer($0)) }
        if number == changes.count {
            changes.append(copy(buffer))
        } else {
            if case .set(let old) = changes[number] { wasted += old.count }
            changes[number] = copy(buffer)
        }
        let isForeign = buffer?.context.map { $0 !== store } ?? false
        if isForeign || buffer?.writeError != nil {
            troubles[number] = Trouble(writeError: buffer?.writeError, isForeign: isForeign)
        } else if !troubles.isEmpty {
            troubles[number] = nil
        }
        if wasted > Self.tolerableWaste, wasted > copies.count / 2 { tidy() }
    }

    private func copy(_ buffer: DataBuffer?) -> Change {
        guard let buffer else { return .remove }
        let start = copies.count
        buffer.withUnsafeBytes { copies.writeRawBytes($0) }
        return .set(start..<copies.count)
    }

    /// Makes `saved`, the names that the backend has, those that there are after the save.
    func apply(to saved: inout Set<[UInt8]>) {
        for (number, change) in changes.enumerated() {
            let name = [UInt8](names[number])
            if case .set = change { saved.insert(name) } else { saved.remove(name) }
        }
    }

    /// Whether the save sets `name`; then `buffer` gets its bytes. `nil`: the name stays as it is.
    func find(_ name: String, into buffer: DataBuffer) -> Bool? {
        guard !isEmpty else { return nil }
        var name = name
        guard let number = name.withUTF8({ names.find(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        guard case .set(let range) = changes[number] else { return false }
        buffer.writeRawBytes(bytes(at: range))
        if let error = troubles[number]?.writeError { buffer.fail(error) }
        return true
    }

    /// - Throws: why a buffer cannot be saved.
    func write(to batch: WriteBatch) throws {
        if isEmpty { return }
        for (number, trouble) in troubles { try refuse(number, trouble) }
        batch.expect(changes.count, in: .namedBuffers)
        for (number, change) in changes.enumerated() {
            switch change {
            case .set(let range):
                try batch.put(bytes(at: range), for: names[number], in: .namedBuffers)
            case .remove: try batch.deleteKey(names[number], in: .namedBuffers)
            }
        }
    }

    private func refuse(_ number: Int, _ trouble: Trouble) throws {
        if let reason = trouble.writeError as? DataBufferError {
            throw StoreError.cannotWriteName(
                String(decoding: names[number], as: UTF8.self), reason: reason)
        }
        if let error = trouble.writeError { throw error }
        if trouble.isForeign { throw StoreError.wrongStore(class: "NamedBuffers") }
    }

    func removeAll() {
        guard !changes.isEmpty else { return }
        names = NameIndex()
        changes = []
        troubles = [:]
        copies = Self.emptyCopies()
        wasted = 0
    }

    /// A copy of the changes, which later changes of these do not affect.
    func copy() -> PendingNames {
        let copy = PendingNames()
        for (number, change) in changes.enumerated() {
            let name = copy.names.number(of: names[number])
            guard case .set(let range) = change else {
                copy.changes.append(.remove)
                continue
            }
            let start = copy.copies.count
            copy.copies.writeRawBytes(bytes(at: range))
            copy.changes.append(.set(start..<copy.copies.count))
            copy.troubles[name] = troubles[number]
        }
        return copy
    }

    /// Makes the changes those of `other`, which is of no use afterwards.
    func replace(by other: PendingNames) {
        names = other.names
        changes = other.changes
        troubles = other.troubles
        copies = other.copies
        wasted = other.wasted
    }

    // MARK: Copies

    private static func emptyCopies(capacity: Int = 0) -> DataBuffer {
        let copies = DataBuffer(capacity: capacity)
        copies.sizeLimit = .max
        return copies
    }

    /// What was replaced may take 64 KiB before the rest moves together.
    private static let tolerableWaste = 64 << 10

    private func bytes(at range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copies.memory)[range])
    }

    /// Drops what belongs to no name: each byte that stays moves once for one that goes.
    private func tidy() {
        let kept = Self.emptyCopies(capacity: copies.count - wasted)
        changes = changes.map { change in
            guard case .set(let range) = change else { return change }
            let start = kept.count
            kept.writeRawBytes(bytes(at: range))
            return .set(start..<kept.count)
        }
        copies = kept
        wasted = 0
    }
}
