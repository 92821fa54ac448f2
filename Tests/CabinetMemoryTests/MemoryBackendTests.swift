import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import Testing
import TrustSupport

struct MemoryBackendTests {
    static let engine = EngineUnderTest("memory", keepsData: false) { _, access in
        MemoryBackend(access: access)
    }

    /// What memory has no room for goes to a file, here all of it.
    static let spilling = EngineUnderTest("memory, values in a file", keepsData: false) {
        _, access in MemoryBackend(access: access, snapshots: SnapshotLimits(memory: 0))
    }

    @Test(arguments: BackendRule.rules(for: engine))
    func keepsRule(_ rule: BackendRule) throws { try rule.check(Self.engine) }

    @Test(arguments: RunSetting.turns(of: BackendRule.rules(for: engine)))
    func keepsRuleInAFile(_ rule: BackendRule) throws { try rule.check(Self.spilling) }

    @Test func ruleNamesAreUnique() {
        #expect(Set(BackendRule.all.map(\.name)).count == BackendRule.all.count)
    }

    @Test func aStoreForReadingStaysEmpty() throws {
        let backend = MemoryBackend(location: "here", access: .readOnly)
        let batch = backend.makeBatch()
        try batch.deleteRow(2, in: 2)
        #expect(throws: BackendError.readOnly(path: "here")) { try backend.commit(batch) }
        #expect(throws: BackendError.readOnly(path: "here")) { try backend.reserveTable() }
        #expect(throws: BackendError.readOnly(path: "here")) {
            try backend.reserveRows(1, in: 2)
        }
        #expect(try backend.commit(backend.makeBatch()) == 0)
        #expect(try backend.tables().isEmpty)
    }

    @Test func closingIsToldOnce() throws {
        let messages = Guarded<[String]>([])
        let sink = LogSink { _, message in messages.withLock { $0.append(message) } }
        let backend = MemoryBackend(location: "here", log: sink)
        try backend.close()
        try backend.close()
        #expect(messages.withLock { $0.count } == 1)
        #expect(messages.withLock { $0.first }?.contains("here") == true)
    }

    @Test func moreIndexesComeAndGoThanThereAreNumbers() throws {
        let backend = MemoryBackend()
        for round in 0..<1_400 {
            let (made, gone) = (backend.makeBatch(), backend.makeBatch())
            for number in 0..<50 {
                let index = try backend.claim(
                    TableClaim(kind: .ordered, name: "Index\(round).\(number)", flags: .derived))
                try made.define(index)
                try gone.drop(index.number)
            }
            try backend.commit(made)
            try backend.commit(gone)
        }
        #expect(try backend.reserveTable() < 110)
    }

    @Test func aBatchMadeWithoutTheBackendMayBeCommitted() throws {
        let backend = MemoryBackend()
        let batch = WriteBatch()
        try batch.define(TableDefinition(number: 2, kind: .record, name: "Song"))
        try backend.commit(batch)
        #expect(try backend.tables().map(\.name) == ["Song"])
    }
}
