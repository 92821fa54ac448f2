import CLibrary
import Cabinet
import CabinetTokyo

/// What a forked process tries to do with the stores of its parent.
package enum ForkDeed: String, Hashable, Sendable, CaseIterable {
    /// Every way of reading.
    case read
    /// Every way of writing.
    case save
    /// The same through `Store`.
    case objects
    /// To give up a batch that the parent has half written.
    case discard
    /// To close the stores.
    case close
    /// To release the stores without closing them.
    case drop
    /// To open the same store once more, which the parent has locked, and one of its own.
    case open

    /// Tries it in the child. Throws if anything is possible that must not be.
    func tryOut(_ stores: ForkedStores, below directory: String) throws {
        guard let backend = stores.tables?.backend, let store = stores.objects else {
            throw LedgerFailure("no store is open")
        }
        switch self {
        case .read: try read(backend)
        case .save: try save(backend)
        case .objects: try saveObjects(store)
        case .discard:
            if let batch = stores.staged { backend.discard(batch) }
            stores.staged = nil
        case .close: try close(stores, backend, store)
        case .drop: break
        case .open: try open(stores, below: directory)
        }
    }

    /// Lets go of everything, as the end of a scope does.
    func letGo(of stores: ForkedStores) throws {
        let held = [Held(object: stores.tables?.backend), Held(object: stores.objects)]
        stores.tables = nil
        stores.objects = nil
        stores.staged = nil
        guard held.allSatisfy({ $0.object == nil }) else {
            throw LedgerFailure("a store is still held")
        }
    }

    private struct Held {
        weak var object: AnyObject?
    }

    private func read(_ backend: any Backend) throws {
        let buffer = DataBuffer()
        try refused { try backend.tables() }
        try refused { try backend.count(of: Ledger.accounts) }
        try refused { try backend.value(of: 2, in: Ledger.accounts, into: buffer) }
        try refused { try backend.records(in: Ledger.accounts) }
        try refused {
            try backend.entries(in: Ledger.index, range: .everything, descending: false)
        }
        let key: [UInt8] = [1]
        try refused {
            try key.withUnsafeBytes {
                try backend.value(forKey: $0, in: .namedBuffers, into: buffer)
            }
        }
    }

    private func save(_ backend: TokyoBackend) throws {
        let ledger = Ledger(seed: 1, filling: 10).nextSave(rows: 1000...1001)
        try refused { try backend.commit(ledger) }
        try refused { try backend.commit(backend.makeBatch()) }
        try refused { try backend.reserveRows(1, in: Ledger.entries) }
        try refused { try backend.reserveTable() }
        try refused { try backend.sync() }
        try refused { try backend.compact() }
        try refused { try backend.rebuildViews(of: [Ledger.entries]) }
        try refused { try backend.forEachSave { _ in } }
        try refused { _ = try backend.logChanges(after: 0) }
    }

    private func saveObjects(_ store: Store) throws {
        store.insert(Shelf())
        try refused { try store.save() }
        guard store.hasChanges else { throw LedgerFailure("the change is not pending any more") }
        try refused { try store.objects(of: Shelf.self) }
        try refused { try store.sync() }
        try refused { try store.close() }
        do {
            try store.save()
        } catch StoreError.closed {
            return
        }
        throw LedgerFailure("the store is open after it was closed")
    }

    private func close(
        _ stores: ForkedStores, _ backend: any Backend, _ store: Store
    ) throws {
        guard stores.lockDescriptors > 0 else { throw LedgerFailure("the locks were not found") }
        try refused { try backend.close() }
        try backend.close()
        try refused { try store.close() }
        try store.close()
        let rest = stores.lockDescriptors
        guard rest == 0 else { throw LedgerFailure("\(rest) descriptors of the locks are left") }
    }

    private func open(_ stores: ForkedStores, below directory: String) throws {
        do {
            _ = try TokyoBackend(path: stores.tablesPath)
            throw LedgerFailure("the parent's store was opened")
        } catch BackendError.busy(_, let holder) {
            guard holder.hasPrefix("process \(getppid()) ") else {
                throw LedgerFailure("the store is held by '\(holder)', not by the parent")
            }
        }
        let own = try TokyoBackend(path: directory + "/own")
        let changes = Ledger(seed: 1, filling: 10).nextSave(rows: 2...3)
        _ = try own.commit(changes)
        try own.close()
    }

    /// Sees that `body` throws what it must.
    private func refused<Result>(_ body: () throws -> Result) throws {
        do {
            let result = try body()
            throw LedgerFailure("something was possible: \(result)")
        } catch BackendError.forked {}
    }
}
