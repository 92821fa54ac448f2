import CabinetBackend

extension TokyoBackend {
    /// How a walk over the blocks of a view has ended.
    enum WalkEnd {
        case finished
        /// Nothing that could stand there stands at that offset.
        case damaged(path: String, offset: UInt64)
        /// There is no such table any more.
        case gone
        /// There is no file to walk over.
        case unreadable(path: String)
    }

    /// Goes over all blocks of a table's file, some megabytes at a time, so that no save waits for
    /// long. When a save comes between, it begins again; the fifth time it is not interrupted.
    func walkBlocks(
        of number: TableNumber, _ pace: Pace, restart: () -> Void,
        each body: (_ block: HashImage.Block, _ offset: UInt64, _ table: Table) -> Void
    ) throws -> WalkEnd {
        var attempts = 0
        var position: (offset: UInt64, changes: UInt64)?
        while true {
            try checkPace(pace)
            let end = try lock.reading { () -> WalkEnd? in
                try checkOpen()
                guard let table = table(number) else { return .gone }
                if let known = position, known.changes != table.changes {
                    attempts += 1
                    position = nil
                    restart()
                }
                guard let file = table.hashFile else {
                    return .unreadable(path: paths.view(of: table.definition))
                }
                let (image, path) = (file.image, file.path)
                var offset = position?.offset ?? image.firstRecord
                let stop = attempts < 4 ? offset + (4 << 20) : .max
                while offset < image.end, offset < stop {
                    guard let block = image.block(at: offset) else {
                        return .damaged(path: path, offset: offset)
                    }
                    body(block, offset, table)
                    switch block {
                    case .free(let next): offset = next
                    case .record(let record): offset = record.next
                    }
                }
                position = (offset, table.changes)
                return offset >= image.end ? .finished : nil
            }
            if let end { return end }
        }
    }

    /// - Throws: `CancellationError`, or ``BackendError/closed`` once the store is closed.
    func checkPace(_ pace: Pace) throws {
        try pace.check()
        if upkeep.isCancelled { throw BackendError.closed }
    }
}
