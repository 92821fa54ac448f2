import CabinetBackend
import CabinetMemory
import Testing

struct MemoryBackendTests {
    @Test func whatWasCommittedIsRead() throws {
        let backend = MemoryBackend()
        let table = try backend.reserveTable()
        let rows = try backend.reserveRows(10, in: table)
        let batch = backend.makeBatch()
        try batch.define(TableDefinition(number: table, kind: .record, name: "Song"))
        for row in rows {
            batch.beginRecord(row, in: table).writeUInt32(row)
            try batch.endRecord()
        }
        try backend.commit(batch)
        #expect(try backend.count(of: table) == 10)
        let cursor = try backend.records(in: table)
        let run = RecordRun()
        var met: [RowID] = []
        while try cursor.next(run) {
            while let (row, value) = run.next() {
                #expect(value.loadUnaligned(as: UInt32.self) == row)
                met.append(row)
            }
        }
        #expect(met == Array(rows))
    }
}
