/// What the feed keeps for one reader of it that must miss no commit, such as a worker that goes on in a
/// later run: all changes after a position, under a name. `Sendable`: a value.
///
/// It stands in the catalog, so that it changes with a commit or not at all: see
/// ``Backend/keepChanges(after:for:limit:)`` and ``WriteBatch/keepChanges(_:)``.
public struct KeptChanges: Hashable, Sendable {
    /// The name of their reader; one name is one reader.
    public var name: String
    /// The last commit that the reader no longer needs.
    public var position: ChangePosition
    /// The changes are given up once commits after the position have more bytes than this.
    public var limit: UInt64

    /// The changes after a position, for the reader of that name.
    public init(name: String, position: ChangePosition, limit: UInt64) {
        self.name = name
        self.position = position
        self.limit = limit
    }

    /// The longest name, in bytes of UTF-8.
    public static let longestName = 256

    // MARK: The entry in the catalog

    /// What the keys of such entries begin with; the name follows.
    private static let prefix = Array("feed/".utf8)

    /// - Throws: ``BackendError/tooLarge(limit:)`` for a name longer than ``longestName``.
    static func key(of name: String) throws(BackendError) -> [UInt8] {
        guard name.utf8.count <= longestName else { throw .tooLarge(limit: longestName) }
        return prefix + Array(name.utf8)
    }

    /// Line, commit and limit, UInt64 each, little-endian.
    var value: [UInt8] {
        [position.line, position.commit.rawValue, limit].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    }

    /// Whether an entry of the catalog is one of these.
    package static func isEntry(_ key: UnsafeRawBufferPointer) -> Bool {
        key.starts(with: prefix)
    }

    /// Reads an entry of the catalog; `nil` if it is none of these, or cannot be understood.
    package init?(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard Self.isEntry(key), value.count == 24,
            let name = String(validating: key.dropFirst(Self.prefix.count), as: UTF8.self)
        else { return nil }
        func number(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: value.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        self.init(
            name: name,
            position: ChangePosition(line: number(0), commit: CommitNumber(number(8))),
            limit: number(16))
    }
}

extension Backend {
    /// Keeps all changes after a position in the feed, from now on and for later runs, until the position is
    /// moved, the name is let go of, or the commits after the position have more than `limit` bytes.
    /// Needs ``BackendFeatures/keptChanges``.
    ///
    /// What was kept under the name before is replaced. An engine looks when it would give up changes
    /// otherwise: it may keep more than the limit for a while, and goes on keeping what it has until it looks
    /// again. Once it has given the changes up, ``changes(after:)-(ChangePosition)`` throws `changesGone`,
    /// and the name keeps nothing until it gets another position. A copy of the store has the name, and
    /// often not the changes.
    ///
    /// To move the position with what was done about the changes, in one commit, use
    /// ``WriteBatch/keepChanges(_:)``.
    /// - Parameters:
    ///   - position: the last commit whose changes are not needed.
    ///   - name: the reader's; at most ``KeptChanges/longestName`` bytes.
    ///   - limit: in bytes of operations, about; `UInt64.max` for no limit.
    /// - Throws: ``BackendError/changesGone(oldest:)`` if some of the changes are gone or the position does
    ///   not hold; ``BackendError/tooLarge(limit:)`` for the name; and what a commit throws. Then the name
    ///   keeps nothing, or what it kept before.
    public func keepChanges(
        after position: ChangePosition, for name: String, limit: UInt64
    ) throws(BackendError) {
        try checkKeepsChanges()
        _ = try changes(after: position)
        let kept = KeptChanges(name: name, position: position, limit: limit)
        try commit { batch throws(BackendError) in try batch.keepChanges(kept) }
        do throws(BackendError) {
            // Between the look and the commit they may have been given up.
            _ = try changes(after: position)
        } catch {
            try letGoOfChanges(for: name)
            throw error
        }
    }

    /// Keeps nothing under the name any more; nothing happens if it kept nothing. What was kept goes when
    /// the engine looks again. Needs ``BackendFeatures/keptChanges``.
    /// - Throws: what a commit throws.
    public func letGoOfChanges(for name: String) throws(BackendError) {
        try checkKeepsChanges()
        guard try keptChanges(for: name) != nil else { return }
        try commit { batch throws(BackendError) in try batch.letGoOfChanges(for: name) }
    }

    private func checkKeepsChanges() throws(BackendError) {
        guard features.contains(.keptChanges) else {
            throw .unsupported("changes that are kept under a name")
        }
    }

    private func commit(
        _ body: (WriteBatch) throws(BackendError) -> Void
    ) throws(BackendError) {
        let batch = makeBatch()
        do throws(BackendError) { try body(batch) } catch {
            discard(batch)
            throw error
        }
        try commit(batch)
    }
}

extension BackendReader {
    /// What is kept under names, whether the engine still has it or not, in the order of the names.
    public func keptChanges() throws(BackendError) -> [KeptChanges] {
        var found: [KeptChanges] = []
        let cursor = try entries(in: .catalog, range: .everything, descending: false)
        let run = EntryRun()
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                if let kept = KeptChanges(key: key, value: value) { found.append(kept) }
            }
        }
        return found.inOrder { $0.name < $1.name }
    }

    /// What is kept under a name, whether the engine still has it or not; `nil`: nothing.
    public func keptChanges(for name: String) throws(BackendError) -> KeptChanges? {
        let buffer = DataBuffer()
        return try KeptChanges.key(of: name).withUnsafeBytesThrowing { key throws(BackendError) in
            guard try value(forKey: key, in: .catalog, into: buffer) else { return nil }
            return buffer.withUnsafeBytes { KeptChanges(key: key, value: $0) }
        }
    }
}

extension WriteBatch {
    /// Moves what is kept under a name, or begins to keep it, with this batch's commit: so a reader that
    /// commits what it has made of the changes never makes it twice, and passes over none.
    ///
    /// Whether the engine still has the changes is not looked at, as ``Backend/keepChanges(after:for:limit:)``
    /// does.
    /// Two batches that move one name conflict if one has a ``basis`` before the other.
    /// - Throws: ``BackendError/tooLarge(limit:)`` for a name longer than ``KeptChanges/longestName``, and
    ///   what a put throws.
    public func keepChanges(_ kept: KeptChanges) throws(BackendError) {
        let value = kept.value
        try KeptChanges.key(of: kept.name).withUnsafeBytesThrowing { key throws(BackendError) in
            try value.withUnsafeBytesThrowing { value throws(BackendError) in
                try put(value, for: key, in: .catalog)
            }
        }
    }

    /// Keeps nothing under the name any more, from this batch's commit on.
    public func letGoOfChanges(for name: String) throws(BackendError) {
        try KeptChanges.key(of: name).withUnsafeBytesThrowing { key throws(BackendError) in
            try deleteKey(key, in: .catalog)
        }
    }
}
