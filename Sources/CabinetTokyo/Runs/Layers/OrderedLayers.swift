import CabinetBackend

/// One layer of an ordered table. `Sendable`: what it holds does not change.
enum OrderedLayer: Sendable {
    case run(Run)
    case pending(PendingRun)
    case delta(Delta)

    func find(_ key: UnsafeRawBufferPointer) throws(BackendError) -> LayerEntry {
        switch self {
        case .run(let run): try run.find(key)
        case .pending(let pending): try pending.run().find(key)
        case .delta(let delta): delta.find(key)
        }
    }

    func cursor() throws(BackendError) -> LayerCursor {
        switch self {
        case .run(let run): try run.cursor()
        case .pending(let pending): try pending.run().cursor()
        case .delta(let delta): delta.cursor()
        }
    }

    func rank(of key: UnsafeRawBufferPointer) throws(BackendError) -> Int {
        switch self {
        case .run(let run): try run.rank(of: key)
        case .pending(let pending): try pending.run().rank(of: key)
        case .delta(let delta): delta.rank(of: key)
        }
    }

    var weightSum: Int {
        get throws(BackendError) {
            switch self {
            case .run(let run): run.weightSum
            case .pending(let pending): try pending.run().weightSum
            case .delta(let delta): delta.weightSum
            }
        }
    }

    /// How many entries there are; 0 for a run that is not open yet.
    var entryCount: Int {
        switch self {
        case .run(let run): run.entryCount
        case .pending(let pending): pending.runIfOpen?.entryCount ?? 0
        case .delta(let delta): delta.entryCount
        }
    }

    /// How many bytes the file takes; 0 for a delta.
    var fileSize: UInt64 {
        switch self {
        case .run(let run): run.size
        case .pending(let pending): pending.size
        case .delta: 0
        }
    }

    /// The run, which is opened if it was not yet; `nil` for a delta.
    /// - Throws: as ``PendingRun/run()``.
    func openRun() throws(BackendError) -> Run? {
        switch self {
        case .run(let run): run
        case .pending(let pending): try pending.run()
        case .delta: nil
        }
    }

    /// The same layer; a run that was opened meanwhile is no longer pending.
    var current: OrderedLayer {
        guard case .pending(let pending) = self, let run = pending.runIfOpen else { return self }
        return .run(run)
    }
}

/// An ordered table as of one commit: its layers, oldest first. The newest entry of a key counts.
///
/// `Sendable`: a value whose layers do not change. Counts and ranks need known weights: deltas must
/// be resolved first (``OrderedView/resolve(limit:)``).
struct OrderedLayers: Sendable {
    private(set) var layers: [OrderedLayer]

    init(_ layers: [OrderedLayer] = []) { self.layers = layers }

    var isEmpty: Bool { layers.isEmpty }

    /// How many keys there are.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` for a damaged run.
    var count: Int {
        get throws(BackendError) {
            var sum = 0
            for layer in layers { sum += try layer.weightSum }
            return sum
        }
    }

    /// What is stored under `key`; `nil` if nothing is. The bytes live as long as the layers.
    func find(
        _ key: UnsafeRawBufferPointer
    ) throws(BackendError) -> UnsafeRawBufferPointer? {
        for layer in layers.reversed() {
            switch try layer.find(key) {
            case .absent: continue
            case .delete: return nil
            case .value(let bytes): return bytes
            }
        }
        return nil
    }

    /// All entries, deletes among them.
    func cursor() throws(BackendError) -> LayerCursor {
        if layers.count == 1 { return try layers[0].cursor() }
        var cursors: [LayerCursor] = []
        for layer in layers { cursors.append(try layer.cursor()) }
        return LayerMerge(cursors)
    }

    /// How many keys stand before `key`: reads a block of each run.
    func rank(of key: UnsafeRawBufferPointer) throws(BackendError) -> Int {
        var sum = 0
        for layer in layers { sum += try layer.rank(of: key) }
        return sum
    }

    /// How many keys lie in `range`: reads at most two blocks of each run.
    func count(in range: KeyRange) throws(BackendError) -> Int {
        let end =
            if let upper = range.upper { try rank(of: upper) } else { try count }
        let start = try range.lower.map { (key) throws(BackendError) in try rank(of: key) } ?? 0
        return max(end - start, 0)
    }

    func rank(of key: [UInt8]) throws(BackendError) -> Int {
        try key.withBytes { (bytes) throws(BackendError) in try rank(of: bytes) }
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` for bodies of a typed throw.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        let outcome = withUnsafeBytes { bytes in
            Swift.Result { () throws(BackendError) in try body(bytes) }
        }
        return try outcome.get()
    }
}
