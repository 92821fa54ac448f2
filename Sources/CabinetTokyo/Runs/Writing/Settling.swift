import CabinetBackend

/// A layer of an ordered table to be brought into a file that later openings believe, or runs to be
/// merged into one. The work needs no lock: it changes nothing that others look at.
struct Settling {
    let view: OrderedView
    /// The layers that the run replaces.
    let numbers: [UInt64]
    let span: CommitSpan
    let source: OrderedLayers
    let below: OrderedLayers
    /// Where the run is written before it gets its name.
    let buildingPath: String
    /// Whether there is a run already, which lacks its name and a sync.
    let isWritten: Bool
    /// The name that the run gets.
    let path: String
    /// The files that it makes superfluous.
    let replaced: [String]

    /// The first layer that is in no file that will be believed; `nil`: there is none.
    init?(firstOf view: OrderedView) {
        guard let index = view.layers.firstIndex(where: { !$0.isDurable }) else { return nil }
        let layer = view.layers[index]
        self.view = view
        numbers = [layer.number]
        span = layer.span
        source = OrderedLayers([layer.content])
        below = OrderedLayers(view.layers[..<index].map(\.content))
        isWritten = layer.path != nil
        buildingPath = layer.path ?? view.buildingPath()
        path = RunName.path(base: view.base, layer.span)
        replaced = []
    }

    /// The runs that the policy wants merged next; `nil`: there are few enough.
    /// - Parameter limit: runs of more bytes than this together are left for later.
    init?(mergeIn view: OrderedView, limit: UInt64 = .max) {
        let runs = view.layers.prefix { $0.isDurable }
        guard let range = MergePolicy.next(runs.map(\.content.fileSize)) else { return nil }
        let chosen = runs[range]
        guard let first = chosen.first, let last = chosen.last,
            chosen.reduce(0, { $0 + $1.content.fileSize }) <= limit
        else { return nil }
        self.view = view
        numbers = chosen.map(\.number)
        span = CommitSpan(from: first.span.from, to: last.span.to)
        source = OrderedLayers(chosen.map(\.content))
        below = OrderedLayers()
        isWritten = false
        buildingPath = view.buildingPath()
        path = RunName.path(base: view.base, span)
        replaced = chosen.compactMap(\.path)
    }

    /// Writes the run, brings it to the device and gives it its name, of which the directory must
    /// still be synced. `nil`: it was cancelled.
    /// - Throws: with nothing left behind but what the next opening removes.
    func write(
        _ files: any FileLayer, isCancelled: () -> Bool = { false }
    ) throws(BackendError) -> Run? {
        let maker = RunMaker(files: files, identity: view.identity)
        do throws(BackendError) {
            if isWritten {
                try files.sync(try files.open(buildingPath, for: .writing))
            } else {
                let cursor = try source.cursor()
                guard
                    let writer = try maker.write(
                        cursor, below: below, to: buildingPath, isCancelled: isCancelled)
                else {
                    try files.remove(buildingPath)
                    return nil
                }
                _ = try writer.finish(span)
                try writer.sync()
            }
            try files.rename(buildingPath, to: path)
            return try maker.open(path)
        } catch {
            if !isWritten { try? files.remove(buildingPath) }
            throw error
        }
    }

    /// Beside an opening or closing, runs of up to this many bytes together are merged: 16 MiB.
    private static let smallMerge: UInt64 = 16 << 20

    /// Brings all layers of a view that no other thread uses into files, and merges small runs that
    /// have become many. The log must be synced up to `lastCommit`.
    static func settle(
        _ view: OrderedView, upTo lastCommit: CommitNumber, _ files: any FileLayer
    ) throws(BackendError) {
        view.seal(at: lastCommit)
        let directory = RunName.directory(of: view.base)
        while let settling = Settling(firstOf: view) ?? Settling(mergeIn: view, limit: smallMerge) {
            guard let run = try settling.write(files) else { return }
            try files.syncDirectory(directory)
            _ = view.replace(settling.numbers, by: run, at: settling.path, settling.span)
            for path in settling.replaced where path != settling.path { try files.remove(path) }
        }
    }
}
