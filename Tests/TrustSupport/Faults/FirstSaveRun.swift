import CabinetBackend
import CabinetTokyo

/// A new store whose first save, a large one, fails at one operation; it is closed then, and opened
/// again.
package struct FirstSaveRun {
    /// For how long operations fail.
    package enum Extent: String, Hashable, Sendable, CaseIterable {
        /// The one operation.
        case once
        /// From that one on until the save has failed.
        case throughSave
        /// From that one on until the store was closed: what could not be taken back may be there.
        case throughClose
    }

    /// What one operation did to a run.
    package enum Outcome: Hashable, Sendable {
        /// The save was over before it came to that operation.
        case neverReached
        case saved
        case failed
        case wrong(String)
    }

    package var durability: Durability
    package var fault: FaultyFiles.Fault
    package var extent: Extent

    package init(durability: Durability, fault: FaultyFiles.Fault, extent: Extent) {
        self.durability = durability
        self.fault = fault
        self.extent = extent
    }

    /// Chunks of 1 MiB are handed over while the batch is written: two of them, and a rest.
    private static let rows: ClosedRange<RowID> = 2...37
    private static let value = [UInt8](repeating: 7, count: 64 << 10)
    private static let table = TableDefinition(
        number: 2, kind: .record, name: "Large", classNumber: 3)

    /// Opens a new store in `root`, fails its first save at that operation of the save, closes it,
    /// and opens it again: for reading, and to save the same, as the caller would.
    package func run(failing operation: Int, in root: String) -> Outcome {
        do {
            let (isSaved, isReached) = try failFirstSave(operation, root)
            if !isReached { return .neverReached }
            // What a save throws, and cannot take back, a store may have after it was not closed.
            let isDoubtful = !isSaved && extent == .throughClose
            for access in [Access.readOnly, .readWrite] {
                let store = try TokyoBackend(
                    path: root, durability: durability, access: access,
                    key: StoreUnderTest.key, files: RebootedFiles())
                let rows = try count(store)
                guard
                    rows == (isSaved ? Self.rows.count : 0)
                        || (isDoubtful && rows == Self.rows.count)
                else { return .wrong("\(access): \(rows) rows after the first save") }
                if access == .readWrite { try save(store, isNew: rows == 0) }
                try store.close()
            }
            for boot in [1, 2] {
                let store = try TokyoBackend(
                    path: root, durability: durability, key: StoreUnderTest.key,
                    files: RebootedFiles(boot: boot))
                guard try count(store) == Self.rows.count else { return .wrong("the second save") }
                try store.close()
            }
            return isSaved ? .saved : .failed
        } catch {
            return .wrong("\(error)")
        }
    }

    private func failFirstSave(
        _ operation: Int, _ root: String
    ) throws -> (isSaved: Bool, isReached: Bool) {
        let files = FaultyFiles(wrapping: RebootedFiles())
        let store = try TokyoBackend(
            path: root, durability: durability, key: StoreUnderTest.key, files: files)
        let (fault, isLong) = (fault, extent != .once)
        files.replacePlan { index, _, _ in
            index == operation || (isLong && index > operation) ? fault : nil
        }
        var isSaved = true
        do {
            try save(store, isNew: true)
        } catch let error as BackendError {
            guard FaultRun.isExpected(error) else { throw error }
            isSaved = false
        }
        let isReached = files.count > operation
        if extent != .throughClose { files.replacePlan(nil) }
        do {
            try store.close()
        } catch {
            guard extent == .throughClose, FaultRun.isExpected(error) else { throw error }
        }
        files.replacePlan(nil)
        return (isSaved, isReached)
    }

    private func save(_ store: TokyoBackend, isNew: Bool) throws {
        let batch = store.makeBatch()
        do {
            if isNew { try batch.define(Self.table) }
            batch.expect(Self.rows.count, in: Self.table.number)
            for row in Self.rows {
                let buffer = batch.beginRecord(row, in: Self.table.number)
                Self.value.withUnsafeBytes { buffer.writeRawBytes($0) }
                try batch.endRecord()
            }
        } catch {
            store.discard(batch)
            throw error
        }
        try store.commit(batch)
    }

    /// How many rows there are, each of which is read.
    private func count(_ store: TokyoBackend) throws -> Int {
        guard try store.tables() == [Self.table] else {
            guard try store.tables().isEmpty else { throw LedgerFailure("another table") }
            return 0
        }
        let buffer = DataBuffer()
        for row in Self.rows {
            guard try store.value(of: row, in: Self.table.number, into: buffer),
                buffer.withUnsafeBytes({ Array($0) == Self.value })
            else { throw LedgerFailure("row \(row) is not what was saved") }
        }
        return try store.count(of: Self.table.number)
    }
}
