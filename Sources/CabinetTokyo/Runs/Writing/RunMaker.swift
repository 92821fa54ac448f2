import CabinetBackend

/// Writes runs out of what other layers hold.
struct RunMaker {
    let files: any FileLayer
    let identity: RunIdentity

    /// Writes what `cursor` gives, from its first entry on, to a new file at `path`: a delete of
    /// what the layers below do not have is left out.
    ///
    /// - Parameter below: the layers below those that `cursor` goes over, for weights that are not
    ///   known.
    /// - Throws: with the file, or a part of it, left to be removed.
    func write(
        _ cursor: LayerCursor, below: OrderedLayers, to path: String,
        isCancelled: () -> Bool = { false }
    ) throws(BackendError) -> RunWriter? {
        let writer = try RunWriter(files: files, path: path, identity: identity)
        var weigher = Weigher(below.isEmpty ? nil : try below.cursor())
        var steps = 0
        try cursor.seek(nil)
        while cursor.isAtEntry {
            steps += 1
            if steps & 0xFFF == 0, isCancelled() { return nil }
            var weight = cursor.weight
            if weight == Delta.unknownWeight {
                let isThere = try weigher.contains(cursor.key)
                weight = cursor.isDelete ? (isThere ? -1 : 0) : (isThere ? 0 : 1)
            }
            if cursor.isDelete {
                guard weight == -1 || weight == 0 else { throw .corrupt(path: path, offset: 0) }
                if weight == -1 { try writer.append(cursor.key, value: nil, weight: -1) }
            } else {
                guard weight == 0 || weight == 1 else { throw .corrupt(path: path, offset: 0) }
                try writer.append(cursor.key, value: cursor.value, weight: weight)
            }
            try cursor.next()
        }
        return writer
    }

    /// Opens a run that was just written.
    func open(_ path: String) throws(BackendError) -> Run {
        guard let run = try Run(files: files, path: path, identity: identity) else {
            throw .viewUnavailable(path: path, cause: "what was just written cannot be read")
        }
        return run
    }
}
