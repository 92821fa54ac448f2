import CabinetBackend

/// How the references of a commit's owners get into the table: by keys, or by unmerged blocks.
extension ReferrerTable {
    /// From so many changed owners on, a commit writes unmerged blocks.
    static let usualUnmergedLimit = 2048

    /// Adds to `batch` what changes in the table for the noted owners.
    ///
    /// While there are unmerged blocks, each commit writes one more: a block counts more than keys do.
    func enterOwners(in batch: WriteBatch) throws {
        if owners.isEmpty { return }
        let table = try definedTable(in: batch)
        var keysForNew = false
        if store.isIsolated, unmergedWriter == nil {
            let isAny = try anyUnmerged()
            if isAny || owners.changed >= unmergedLimit {
                unmergedWriter = UnmergedWriter(table, order: try nextOrder(isAny, in: table))
                keysForNew = !isAny
            }
        }
        if unmergedWriter != nil {
            try writeUnmerged(keysForNew: keysForNew, in: batch, table)
        } else {
            try enterKeys(in: batch, table, protects: protectsTargets)
        }
        owners.removeAll()
    }

    /// Where commits were numbered anew, as in a store that was salvaged, blocks may have any order.
    private func nextOrder(_ isAny: Bool, in table: TableNumber) throws -> UInt64 {
        let order = store.basis.rawValue + 1
        guard isAny,
            let greatest = try UnmergedBlock.greatestOrder(in: table, store.reader, by: run)
        else { return order }
        return max(order, greatest == .max ? .max : greatest + 1)
    }

    /// With so many targets, a commit looks which of them are new rather than protect each.
    private static let protectedLimit = 1024

    /// Writes the noted owners into blocks. With `keysForNew`, which is for the first of all blocks, those
    /// that are new are written as keys.
    private func writeUnmerged(
        keysForNew: Bool, in batch: WriteBatch, _ table: TableNumber
    ) throws {
        let protects = protectsTargets
        var known: KnownTargets?
        if protects, owners.targetCount > Self.protectedLimit {
            known = try KnownTargets(self, in: table)
        }
        try owners.forEachInOrder { owner, targets, isNew in
            if isNew, keysForNew {
                return try change(
                    owner, from: [], to: targets, in: batch, table, protects: protects)
            }
            try unmergedWriter?.append(owner, targets, in: batch)
            guard protects else { return }
            var former = isNew ? [] : try known?.next(owner)[...] ?? []
            for target in targets {
                while let first = former.first, first < target { former.removeFirst() }
                if former.first != target { try protect(target, in: batch, table) }
            }
        }
    }

    /// Writes the noted owners as keys.
    private func enterKeys(
        in batch: WriteBatch, _ table: TableNumber, protects: Bool
    ) throws {
        var saved: SavedTargets?
        try owners.forEachInOrder { owner, targets, isNew in
            guard isDefined, !isNew else {
                return try change(
                    owner, from: [], to: targets, in: batch, table, protects: protects)
            }
            if saved == nil {
                saved = try SavedTargets(of: owner, in: table, store.reader, by: run)
            }
            try change(
                owner, from: try saved?.next(owner) ?? [], to: targets, in: batch, table,
                protects: protects)
        }
    }

    /// Puts the keys of `targets` that are not among `old`, and deletes those of `old` that are not
    /// among `targets`. Both are in order, each target once.
    private func change(
        _ owner: ClassRow, from old: [ClassRow], to targets: ArraySlice<ClassRow>,
        in batch: WriteBatch, _ table: TableNumber, protects: Bool
    ) throws {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        var rest = old[...]
        for target in targets {
            while let gone = rest.first, gone < target {
                _ = rest.popFirst()
                try ReferrerKeys.withBoth(owner, gone) { try batch.deleteKey($0, in: table) }
            }
            if rest.first == target {
                _ = rest.popFirst()
                continue
            }
            try ReferrerKeys.withBoth(owner, target) { try batch.put(empty, for: $0, in: table) }
            if protects { try protect(target, in: batch, table) }
        }
        for gone in rest {
            try ReferrerKeys.withBoth(owner, gone) { try batch.deleteKey($0, in: table) }
        }
    }

    /// Enters what unmerged blocks say as keys of `batch`, and deletes the blocks.
    ///
    /// - Parameter limit: ends behind the block with which so many owners and targets are entered.
    /// - Throws: a ``BackendError``; a `DataBufferError` if a block is damaged.
    func enterUnmerged(in batch: WriteBatch, limit: Int = .max) throws {
        try lookAgain()
        guard let table, isDefined else { return }
        owners.removeAll()
        defer { owners.removeAll() }
        var count = 0
        try UnmergedBlock.forEach(in: table, store.reader) { key, value in
            try UnmergedBlock.forEachOwner(in: value) { owner, targets in
                owners.append(owner, targets, isNew: false)
                count += 1 + targets.count
            }
            try batch.deleteKey(key, in: table)
            return count < limit
        }
        try enterKeys(in: batch, table, protects: false)
    }
}
