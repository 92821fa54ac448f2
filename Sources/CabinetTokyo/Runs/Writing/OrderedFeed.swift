import CabinetBackend

/// Takes all changes of one table by one large commit, or by a whole log, and brings them into the
/// order of their keys: in memory up to 32 MiB, beyond that in temporary files.
///
/// Not `Sendable`: one thread at a time. A failure is kept, and ``finish(below:)`` throws it.
final class OrderedFeed: OrderedSink {
    /// What came of it.
    enum Outcome {
        /// Few changes, for the table's delta.
        case changes(any EntrySource)
        /// A run at that path, which lacks its span.
        case run(RunWriter, path: String)
    }

    /// So many changes become a run: 16,384.
    private static let leastRun = 16_384

    let table: TableNumber
    private let maker: RunMaker
    private let path: String
    private var spool: EntrySpool
    private(set) var count = 0
    private var failure: BackendError?
    /// Set when a view has taken what came of the feed.
    var isTaken = false

    /// - Parameter path: a name for the run, used by nothing else; names of temporary files begin
    ///   with it.
    init(
        _ table: TableNumber, _ maker: RunMaker, path: String
    ) throws(BackendError) {
        self.table = table
        self.maker = maker
        self.path = path
        spool = try EntrySpool(files: maker.files, path: path, suffix: ".new")
        super.init()
    }

    override func put(_ key: UnsafeRawBufferPointer, stored: UnsafeRawBufferPointer) {
        add(TableEntry(table: table, key: key, stored: stored))
    }

    override func delete(_ key: UnsafeRawBufferPointer) {
        add(TableEntry(table: table, key: key, stored: nil))
    }

    private func add(_ entry: TableEntry) {
        guard failure == nil else { return }
        count += 1
        do throws(BackendError) {
            try spool.add(entry)
        } catch {
            failure = error
        }
    }

    /// Ends the taking. Many changes are written as a run whose weights count from `below`.
    func finish(below: OrderedLayers) throws(BackendError) -> Outcome {
        if let failure { throw failure }
        guard let source = try spool.entries() else {
            throw .viewUnavailable(path: path, cause: "its sorting was cancelled")
        }
        guard count >= Self.leastRun else { return .changes(source) }
        let writer = try RunWriter(files: maker.files, path: path, identity: maker.identity)
        var weigher = Weigher(below.isEmpty ? nil : try below.cursor())
        while let entry = try source.next() {
            let isThere = try weigher.contains(entry.key)
            if let stored = entry.stored {
                try writer.append(
                    entry.key, value: Checksum.value(of: stored), weight: isThere ? 0 : 1)
            } else if isThere {
                try writer.append(entry.key, value: nil, weight: -1)
            }
        }
        spool.removeFiles()
        return .run(writer, path: path)
    }

    /// Removes temporary files, and the run unless a view has taken it.
    func discard() {
        spool.removeFiles()
        if !isTaken { try? maker.files.remove(path) }
    }
}

extension OrderedView {
    /// Takes what a feed has come to as the commit `commit`.
    /// - Parameter note: called with each key that becomes no run.
    func take(
        _ outcome: OrderedFeed.Outcome, of commit: CommitNumber, _ maker: RunMaker,
        noting note: ((UnsafeRawBufferPointer) -> Void)? = nil
    ) throws(BackendError) {
        switch outcome {
        case .changes(let source):
            while let entry = try source.next() {
                note?(entry.key)
                if let stored = entry.stored {
                    put(entry.key, stored: stored)
                } else {
                    delete(entry.key)
                }
            }
        case .run(let writer, let path):
            seal(at: commit.previous)
            _ = try writer.finish(CommitSpan(from: top, to: commit))
            take(try maker.open(path), at: path, of: commit)
        }
    }
}
