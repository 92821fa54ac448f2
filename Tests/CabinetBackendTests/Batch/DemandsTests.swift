import CabinetBackend
import Testing

struct DemandsTests {
    /// A state without rows and with one key, which knows no changes.
    private struct State: StateBeforeBatch {
        func contains(row: RowID, in table: TableNumber) -> Bool { row == 2 }
        func definition(of table: TableNumber) -> TableDefinition? { nil }
        func hasCommits(since basis: CommitNumber) -> Bool { true }
        func value(
            forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
        ) -> Bool {
            buffer.removeAll()
            guard key.elementsEqual([1]) else { return false }
            buffer.writeInt64(40)
            return true
        }
    }

    @Test func aBatchThatDemandsSomethingIsEmptyUnlessItAdds() throws {
        let batch = WriteBatch()
        #expect(batch.isEmpty && !batch.hasDemands)
        batch.basis = nil
        #expect(!batch.hasDemands)
        batch.require(.absent, row: 3, in: 2)
        batch.basis = 7
        #expect(batch.isEmpty && batch.hasDemands && batch.basis == 7)
        [1].withBytes { batch.add(1, forKey: $0, in: 2) }
        #expect(!batch.isEmpty)
        batch.removeAll()
        [1].withBytes { batch.deleteBlindly($0, in: 2) }
        #expect(!batch.isEmpty && batch.hasDemands)
        #expect(throws: BackendError.noTable(2)) { try batch.resolve(on: State()) }
        batch.removeAll()
        #expect(batch.isEmpty && !batch.hasDemands && batch.basis == nil)
    }

    @Test func additionsBecomePutsAndDeletesAtTheEnd() throws {
        let batch = WriteBatch()
        try batch.deleteRow(9, in: 3)
        [1].withBytes { batch.add(-42, forKey: $0, in: 2) }
        [1].withBytes { batch.add(2, forKey: $0, in: 2) }
        [0].withBytes { batch.add(0x0102, forKey: $0, in: 2) }
        try batch.resolve(on: State())
        #expect(!batch.hasDemands && batch.operationCount == 3)
        var reader = OperationReader(
            UnsafeRawBufferPointer(rebasing: batch.chunk()[WriteBatch.headroom...]))
        _ = reader.next()
        guard case .putKey(2, let key, let stored) = reader.next() else {
            Issue.record("no put")
            return
        }
        #expect(Array(key) == [0] && Array(stored.dropLast(4)) == [2, 1, 0, 0, 0, 0, 0, 0])
        guard case .deleteKey(2, let gone) = reader.next() else {
            Issue.record("no delete")
            return
        }
        #expect(Array(gone) == [1])
        #expect(reader.next() == nil && !reader.isDamaged)
    }

    @Test func aStateThatKnowsNoChangesRefusesABasis() throws {
        let batch = WriteBatch()
        batch.basis = 1
        #expect(throws: BackendError.unsupported("a batch with a basis")) {
            try batch.resolve(on: State())
        }
    }

    @Test func conflictsComeInOrderAndOnce() throws {
        let batch = WriteBatch()
        [1].withBytes { batch.require(.absent, key: $0, in: 2) }
        batch.require(.absent, row: 2, in: 3)
        batch.require(.absent, row: 2, in: 2)
        batch.require(.absent, row: 2, in: 2)
        batch.require(.absent, row: 3, in: 2)
        #expect(
            throws: BackendError.conflict([
                .row(2, table: 2), .key([1], table: 2), .row(2, table: 3),
            ])
        ) { try batch.resolve(on: State()) }
    }

    @Test func somethingUnchangedNeedsABasis() async {
        await #expect(processExitsWith: .failure) {
            let batch = WriteBatch()
            batch.require(.unchanged, row: 2, in: 2)
            try batch.resolve(on: State())
        }
    }
}

extension [UInt8] {
    fileprivate func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result { try withUnsafeBytes(body) }
}
