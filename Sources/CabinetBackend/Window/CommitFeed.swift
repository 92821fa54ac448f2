import CLibrary

/// The changes of the latest commits, as many as fit into some memory. The engine's lock guards it.
package final class CommitFeed {
    private let limit: Int
    /// Ascending. What was given up stays at the front, empty, until that is half of the list.
    private var commits: [CommittedChanges?] = []
    private var first = 0
    private var size = 0
    /// What is kept beyond the limit, by the names' keys in the catalog.
    private var kept: [[UInt8]: KeptChanges] = [:]
    /// All commits after this one are here.
    package private(set) var oldest: CommitNumber = 0

    /// What a commit takes beside its operations, about.
    private static let overhead = 100

    /// A feed that takes about `limit` bytes of memory; with 0 it keeps nothing.
    package init(limit: Int) { self.limit = limit }

    /// The last commit that was added, or that all was given up up to.
    package var newest: CommitNumber { commits.last??.number ?? oldest }

    /// Adds the commit `number`, whose operations stand in `chunks`, in order, and then in `last`.
    ///
    /// - Parameter time: when it was made, in microseconds since 1970-01-01 00:00 UTC; `nil`: now.
    package func append(
        _ number: CommitNumber, author: UInt32, time: UInt64? = nil,
        _ chunks: [UnsafeRawBufferPointer], _ last: UnsafeRawBufferPointer
    ) {
        var length = last.count
        for chunk in chunks { length += chunk.count }
        guard length + Self.overhead <= limit || mayKeep(length) else { return clear(upTo: number) }
        // Never none: the one empty array that all threads share would be written to.
        let operations = [UInt8](unsafeUninitializedCapacity: max(length, 1)) { bytes, count in
            for chunk in chunks { Self.copy(chunk, to: bytes, &count) }
            Self.copy(last, to: bytes, &count)
        }
        commits.append(
            CommittedChanges(
                number: number, time: time ?? Self.microseconds(), author: author,
                operations: operations))
        size += length + Self.overhead
        while size > limit, !keepsAll, giveUpFirst(upTo: .max) {}
        shrink()
    }

    /// Gives up the commits up to that one, but for those that a name needs.
    package func giveUp(upTo number: CommitNumber) {
        while !kept.values.contains(where: { $0.position.commit == oldest }),
            giveUpFirst(upTo: number)
        {}
        shrink()
    }

    /// `false`: there is none up to that one.
    private func giveUpFirst(upTo number: CommitNumber) -> Bool {
        guard first < commits.count, let commit = commits[first], commit.number <= number else {
            return false
        }
        size -= commit.size + Self.overhead
        oldest = commit.number
        commits[first] = nil
        first += 1
        return true
    }

    private func shrink() {
        if first > commits.count / 2 {
            commits.removeFirst(first)
            first = 0
        }
    }

    /// Takes note of an entry of the catalog, or that there is none any more.
    package func note(catalogKey key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
        guard KeptChanges.isEntry(key) else { return }
        kept[[UInt8](key)] = value.flatMap { KeptChanges(key: key, value: $0) }
    }

    /// Whether a name needs all commits that are here. One whose changes are gone needs none.
    private var keepsAll: Bool {
        kept.values.contains { $0.position.commit == oldest && UInt64(size) <= $0.limit }
    }

    /// Whether a name may need a commit with so many bytes of operations.
    private func mayKeep(_ length: Int) -> Bool {
        kept.values.contains { $0.position.commit >= oldest && UInt64(length) <= $0.limit }
    }

    private static func copy(
        _ chunk: UnsafeRawBufferPointer, to bytes: UnsafeMutableBufferPointer<UInt8>,
        _ count: inout Int
    ) {
        guard let source = chunk.baseAddress, let target = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(target + count).copyMemory(from: source, byteCount: chunk.count)
        count += chunk.count
    }

    /// Gives up everything up to the commit `number`.
    package func clear(upTo number: CommitNumber) {
        commits = []
        (first, size, oldest) = (0, 0, number)
    }

    /// The first commit after `number`, or `nil` if there is none yet.
    /// - Throws: ``BackendError/changesGone(oldest:)``, also for a number that no commit has yet.
    package func next(after number: CommitNumber) throws(BackendError) -> CommittedChanges? {
        guard number >= oldest, number <= newest else { throw .changesGone(oldest: oldest) }
        let index = index(after: number)
        return index < commits.count ? commits[index] : nil
    }

    /// All commits after `number`; `nil` if some of them are not kept any more, or there is no commit
    /// of that number yet.
    package func all(after number: CommitNumber) -> [CommittedChanges]? {
        guard number >= oldest, number <= newest else { return nil }
        return commits[index(after: number)...].compactMap { $0 }
    }

    private func index(after number: CommitNumber) -> Int {
        commits[first...].partitioningIndex { $0?.number ?? 0 > number }
    }

    /// Since 1970-01-01 00:00 UTC.
    static func microseconds() -> UInt64 {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
