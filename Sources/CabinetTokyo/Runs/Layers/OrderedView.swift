import CabinetBackend

/// What an ordered table is read from: runs, and what commits above them changed, oldest first.
///
/// Not `Sendable`: the engine's lock guards it. A thread that changes it has the writer's turn too,
/// except in ``resolve(limit:)``. What it hands out as ``snapshot`` stays as it is.
final class OrderedView: OrderedSink {
    struct Layer {
        /// Distinguishes it from a layer that replaces it.
        let number: UInt64
        var content: OrderedLayer
        var span: CommitSpan
        /// Where the run's file is; `nil` for a delta.
        var path: String?
        /// Whether the file is on the device and has its name: then it is believed at any later
        /// opening.
        var isDurable: Bool
    }

    let identity: RunIdentity
    /// The path of the table's runs without their spans; see ``RunName``.
    var base: String
    /// Where runs are written before they get their names.
    var buildingBase: String
    // Unchecked, because the lock orders all accesses, and nothing calls back into a view.

    @exclusivity(unchecked) private(set) var layers: [Layer]
    /// What changed since the newest layer.
    @exclusivity(unchecked) private(set) var delta = Delta()
    /// The layers as reads need them.
    private(set) var below: OrderedLayers
    private var lastNumber: UInt64 = 0

    init(
        _ identity: RunIdentity, base: String, buildingBase: String,
        runs: [(run: Run, span: CommitSpan, path: String)] = [], pending: [PendingRun] = []
    ) {
        self.identity = identity
        self.base = base
        self.buildingBase = buildingBase
        layers = []
        below = OrderedLayers()
        super.init()
        for run in runs { append(.run(run.run), run.span, run.path, isDurable: true) }
        for run in pending { append(.pending(run), run.span, run.path, isDurable: true) }
    }

    // MARK: Reading

    /// The table as it is now.
    var snapshot: OrderedLayers {
        delta.isEmpty ? below : OrderedLayers(below.layers + [.delta(delta)])
    }

    /// What is stored under `key`; `nil` if nothing is. The bytes live until the table changes.
    func find(
        _ key: UnsafeRawBufferPointer
    ) throws(BackendError) -> UnsafeRawBufferPointer? {
        switch delta.find(key) {
        case .absent: try below.find(key)
        case .delete: nil
        case .value(let bytes): bytes
        }
    }

    /// How many keys there are. ``unknownCount`` must be 0.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` for a damaged run.
    var count: Int { get throws(BackendError) { try below.count + delta.weightSum } }

    /// Opens the runs that were not used yet.
    /// - Throws: as ``PendingRun/run()``.
    func openRuns() throws(BackendError) {
        for layer in layers { _ = try layer.content.openRun() }
    }

    /// About how many keys there are, without looking.
    var estimate: Int { max(below.layers.reduce(delta.entryCount) { $0 + $1.entryCount }, 0) }

    /// How many bytes the files take.
    var size: UInt64 { layers.reduce(0) { $0 + $1.content.fileSize } }

    /// How many entries of deltas have no known weight.
    var unknownCount: Int {
        layers.reduce(delta.unknownCount) { $0 + ($1.delta?.unknownCount ?? 0) }
    }

    /// Finds out the weights of up to `limit` entries.
    func resolve(limit: Int) throws(BackendError) {
        var left = limit
        for index in layers.indices {
            guard left > 0 else { return }
            guard var delta = layers[index].delta, delta.unknownCount > 0 else { continue }
            let before = delta.unknownCount
            let lower = OrderedLayers(layers[..<index].map(\.content))
            try delta.resolve(limit: left) { (key) throws(BackendError) in
                try lower.find(key) != nil
            }
            left -= before - delta.unknownCount
            layers[index].content = .delta(delta)
            takeLayers()
        }
        guard left > 0, delta.unknownCount > 0 else { return }
        let below = below
        try delta.resolve(limit: left) { (key) throws(BackendError) in
            try below.find(key) != nil
        }
    }

    // MARK: Changing

    override func put(_ key: UnsafeRawBufferPointer, stored: UnsafeRawBufferPointer) {
        delta.put(
            key, Checksum.value(of: stored), existsBelow: layers.isEmpty ? false : nil)
    }

    override func delete(_ key: UnsafeRawBufferPointer) {
        delta.delete(key, existsBelow: layers.isEmpty ? false : nil)
    }

    /// The last commit that the layers hold whole; what is above stands in ``delta``.
    var top: CommitNumber { layers.last?.span.to ?? 0 }

    /// Whether the newest layer is in a file that will be believed, or there is none.
    var endsDurably: Bool { layers.isEmpty || layers[layers.count - 1].isDurable }

    /// Makes a layer of what the table's commits up to `commit` have changed.
    func seal(at commit: CommitNumber) {
        guard !delta.isEmpty else { return }
        append(.delta(delta), CommitSpan(from: top, to: commit), nil, isDurable: false)
        delta = Delta()
    }

    /// Takes a run of everything that the commit `commit` has changed.
    func take(_ run: Run, at path: String, of commit: CommitNumber) {
        append(.run(run), CommitSpan(from: top, to: commit), path, isDurable: false)
    }

    /// Replaces neighbouring layers by a durable run. `false`: they are not there any more.
    func replace(
        _ numbers: [UInt64], by run: Run, at path: String, _ span: CommitSpan
    ) -> Bool {
        guard let start = layers.firstIndex(where: { $0.number == numbers.first }),
            layers[start...].prefix(numbers.count).map(\.number) == numbers
        else { return false }
        lastNumber += 1
        layers.replaceSubrange(
            start..<start + numbers.count,
            with: [
                Layer(
                    number: lastNumber, content: .run(run), span: span, path: path,
                    isDurable: true)
            ])
        takeLayers()
        return true
    }

    /// A name for a run to be, used once.
    func buildingPath() -> String {
        lastNumber += 1
        return "\(buildingBase)-\(lastNumber).new"
    }

    /// Has reads see the layers.
    private func takeLayers() {
        for index in layers.indices { layers[index].content = layers[index].content.current }
        below = OrderedLayers(layers.map(\.content))
    }

    private func append(
        _ content: OrderedLayer, _ span: CommitSpan, _ path: String?, isDurable: Bool
    ) {
        lastNumber += 1
        layers.append(
            Layer(
                number: lastNumber, content: content, span: span, path: path,
                isDurable: isDurable))
        takeLayers()
    }
}

extension OrderedView.Layer {
    /// The run if it is open.
    var run: Run? { if case .run(let run) = content.current { run } else { nil } }
    var delta: Delta? { if case .delta(let delta) = content { delta } else { nil } }
}
