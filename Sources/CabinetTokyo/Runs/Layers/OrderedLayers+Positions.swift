import CabinetBackend

extension OrderedLayers {
    /// The key before which `offset` keys stand; `nil` if there are not as many.
    ///
    /// The indexes of the runs give a key near by that stands at `offset` or before. From there on
    /// the walk takes some hundred steps for each layer. It reads two or three blocks of each run.
    func key(at offset: Int) throws(BackendError) -> [UInt8]? {
        guard offset >= 0, try offset < count else { return nil }
        let start = try separator(before: offset)
        let cursor = try cursor()
        var position = 0
        if let start {
            position = try rank(of: start)
            try start.withBytes { (bytes) throws(BackendError) in try cursor.seek(bytes) }
        } else {
            try cursor.seek(nil)
        }
        while cursor.isAtEntry {
            if !cursor.isDelete {
                if position == offset { return [UInt8](cursor.key) }
                position += 1
            }
            try cursor.next()
        }
        return nil
    }

    /// A separator of the largest run that is known, without reading a block, to stand at `offset`
    /// or before; `nil`: begin at the first key.
    private func separator(before offset: Int) throws(BackendError) -> [UInt8]? {
        var largest: (index: Int, run: Run)?
        for (index, layer) in layers.enumerated() {
            guard let run = try layer.openRun() else { continue }
            if run.blockCount > largest?.run.blockCount ?? 1 { largest = (index, run) }
        }
        guard let (index, run) = largest else { return nil }
        var low = 0
        var high = run.blockCount - 1
        while low < high {
            let middle = (low + high + 1) / 2
            let rank = try greatestRank(
                of: run.separator(of: middle), block: middle, of: index)
            if rank <= offset {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return low == 0 ? nil : [UInt8](run.separator(of: low))
    }

    /// At most so many keys stand before the separator of a block of the layer at `index`.
    private func greatestRank(
        of key: UnsafeRawBufferPointer, block: Int, of index: Int
    ) throws(BackendError) -> Int {
        var sum = 0
        for (other, layer) in layers.enumerated() {
            if case .delta(let delta) = layer {
                sum += delta.rank(of: key)
            } else if let run = try layer.openRun() {
                if other == index {
                    sum += run.weight(before: block)
                } else {
                    let block = run.index.block(of: key)
                    sum += run.weight(before: block) + run.greatestWeight(in: block)
                }
            }
        }
        return sum
    }
}
