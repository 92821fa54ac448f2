import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A bead of a program that tracks no referrers.
final class PlainBead: StoredObject {
    @Field var number = 0
    override class var storageName: String { "Bead" }
}

/// Many changed owners are written in unmerged blocks, which a thread of its own enters as keys.
struct UnmergedReferenceTests {
    private let backend = MemoryBackend()

    private func open() throws -> Store {
        let store = try Store(backend: backend, classes: beads)
        store.referrerTable?.unmergedLimit = 4
        return store
    }

    /// A chain of beads: the first ones refer to the one behind them.
    private func chain(_ count: Int, in store: Store) throws -> [Bead] {
        let all = (0..<count).map { _ in Bead() }
        all.forEach(store.insert)
        for (link, next) in zip(all, all.dropFirst()) { link.next = next }
        try store.save()
        return all
    }

    /// Ends the thread's work, so that nothing but the test enters blocks.
    private func waitForThread(_ store: Store) throws {
        try store.indexes.build()
        #expect(try !store.hasWork())
    }

    @Test func aThreadEntersThem() throws {
        let store = try open()
        let all = try chain(8, in: store)
        for (link, next) in zip(all, all.dropFirst(2)) { link.next = next }
        try store.save()
        #expect(ReferrerTruth.unmergedSaves(of: store) == 1)
        #expect(try store.referrers(of: all[4]) == [all[2]])
        try waitForThread(store)
        let truth = try ReferrerTruth(backend, beads)
        #expect(truth.isRight && truth.written.count == 7, "\(truth.difference)")
        #expect(try store.referrers(of: all[4]) == [all[2]])
    }

    /// Saves of one owner also write a block while there are some: the latest counts.
    @Test func theLatestBlockCounts() throws {
        let store = try open()
        let all = try chain(8, in: store)
        for round in 1...4 {
            for (index, link) in all.enumerated() { link.next = all[(index + round + 1) % 8] }
            try store.save()
            #expect(ReferrerTruth.unmergedSaves(of: store) >= round)
            all[0].next = nil
            try store.save()
            #expect(try store.referrers(of: all[round + 1]).isEmpty)
            #expect(try store.referrers(of: all[7]) == [all[6 - round]])
            #expect(try ReferrerTruth(backend, beads).isRight)
        }
        try waitForThread(store)
        #expect(try ReferrerTruth(backend, beads).isRight)
        #expect(try store.referrers(of: all[0]) == [all[3]])
    }

    /// Owners of which only a block says that they refer to the object, and a block that is older than
    /// the delete.
    @Test func deletesAreNotedBehindThem() async throws {
        let store = try open()
        let all = try chain(8, in: store)
        for link in all { link.next = all[3] }
        try store.save()
        #expect(ReferrerTruth.unmergedSaves(of: store) == 1)
        try store.delete(all[3])
        try store.save()
        #expect(try await store.check().isSound)
        try waitForThread(store)
        #expect(try await store.check().isSound)
        #expect(try ReferrerTruth(backend, beads).isRight)
    }

    /// Blocks that no thread has entered are there after a relaunch.
    @Test func theyOutliveTheirProgram() throws {
        let directory = try TemporaryStore(beads)
        var store = directory.store
        store.referrerTable?.unmergedLimit = 4
        let all = try chain(8, in: store)
        for link in all { link.next = all[1] }
        try store.save()
        #expect(ReferrerTruth.unmergedSaves(of: store) == 1)
        let (row, owner) = (all[1].rowID, all[0])
        #expect(try store.referrers(of: all[1]).count == 8)
        try waitForThread(store)
        // A store that only reads has no thread that could enter a block.
        let number = try #require(owner.storedClass?.number)
        let place = ReferrerTable.ClassRow(classNumber: number, row: owner.rowID)
        let block = DataBuffer()
        UnmergedBlock.append(place, [], to: block)
        try block.withUnsafeBytes { try putBlock(Array($0), in: store.backend) }
        store = try directory.reopen(access: .readOnly)
        let second = try #require(try store.object(Bead.self, rowID: row))
        #expect(try store.referrers(of: second).count == 7)
        #expect(try !store.hasWork())
        // Its record still refers to the other.
        store = try directory.reopen()
        try #require(try store.object(Bead.self, rowID: place.row)).next = nil
        try store.save()
        try store.indexes.build()
        let third = try #require(try store.object(Bead.self, rowID: row))
        #expect(try store.referrers(of: third).count == 7)
        #expect(try ReferrerTruth(store.backend, beads).isRight)
    }

    /// A store that saves alongside the entering neither loses a reference nor keeps one too many.
    @Test(arguments: 0..<4) func savesGoOnMeanwhile(_ round: Int) throws {
        let store = try open()
        let all = try chain(200, in: store)
        for turn in 1...20 {
            for (index, link) in all.enumerated() where index % (turn % 3 + 1) == 0 {
                link.next = all[(index * turn + round) % 200]
            }
            try store.save()
            // On this thread as well: the two conflict now and then.
            if turn % 5 == 0 { try open().keepReferrersInForm() }
        }
        let truth = try ReferrerTruth(backend, beads)
        #expect(truth.isRight, "\(truth.difference)")
        try waitForThread(store)
        let entered = try ReferrerTruth(backend, beads)
        #expect(entered.isRight && entered.written == truth.written, "\(entered.difference)")
    }

    /// The thread's commits change no object: a save that changes no reference asks for none.
    @Test func whatIsEnteredLeavesNoDoubt() throws {
        let store = try open()
        let all = try chain(8, in: store)
        for link in all { link.next = all[0] }
        try store.save()
        try waitForThread(store)
        for link in all { link.number += 1 }
        try store.save()
        try waitForThread(store)
        for link in all { link.number += 1 }
        try store.save()
        #expect(ReferrerTruth.unmergedSaves(of: store) == 1)
    }

    /// Of a salvaged store the commits count from 1 again, and its blocks are of a greater order.
    @Test func aBlockCountsMoreThanThoseThatItsSaveSaw() throws {
        let store = try open()
        let all = try chain(8, in: store)
        let number = try #require(all[0].storedClass?.number)
        let places = all.map { ReferrerTable.ClassRow(classNumber: number, row: $0.rowID) }
        let block = DataBuffer()
        UnmergedBlock.append(places[0], [places[5]], to: block)
        try block.withUnsafeBytes { try putBlock(Array($0), order: 5000, in: backend) }
        try store.refresh()
        #expect(try store.referrers(of: all[5]) == [all[0], all[4]])
        all[0].next = all[6]
        try store.save()
        #expect(try store.referrers(of: all[5]) == [all[4]])
        try waitForThread(store)
        #expect(try store.referrers(of: all[6]) == [all[0], all[5]])
        #expect(try ReferrerTruth(backend, beads).isRight)
    }

    /// Blocks are entered before references of whole classes are taken out of the table.
    @Test(arguments: [false, true]) func classesThatCease(_ isDamaged: Bool) throws {
        do {
            let store = try open()
            let all = try chain(8, in: store)
            try waitForThread(store)
            let number = try #require(all[0].storedClass?.number)
            let block = DataBuffer()
            for (index, bead) in all.enumerated() {
                let place = ReferrerTable.ClassRow(classNumber: number, row: bead.rowID)
                UnmergedBlock.append(
                    place, index < 7 ? [.init(classNumber: number, row: all[index + 1].rowID)] : [],
                    to: block)
            }
            if isDamaged { block.writeUInt8(1) }
            try block.withUnsafeBytes { try putBlock(Array($0), in: backend) }
        }
        do {
            let store = try Store(backend: backend, classes: [PlainBead.self])
            store.insert(PlainBead())
            try store.save()
            let table = try backend.tables().first { $0.name == ReferrerTable.tableName }
            if let table { #expect(try backend.count(of: table.number) == 0) }
        }
    }

    // MARK: Damage

    private func putBlock(
        _ value: [UInt8], order: UInt64 = 1, in backend: any Backend
    ) throws {
        let table = try #require(
            try backend.tables().first { $0.name == ReferrerTable.tableName }
        ).number
        let batch = backend.makeBatch()
        try UnmergedBlock.key(order: order, number: 0).withUnsafeBytes { key in
            try value.withUnsafeBytes { try batch.put($0, for: key, in: table) }
        }
        try backend.commit(batch)
    }

    /// A count beyond the block's end, half an owner, and half a target.
    @Test(
        arguments: [
            [0, 1, 0, 0, 0, 255, 255, 255, 255], [0, 1], [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1],
        ] as [[UInt8]])
    func aDamagedBlockMakesTheTableAnew(_ value: [UInt8]) async throws {
        var owners = 0
        do {
            let store = try open()
            owners = try chain(8, in: store).count - 1
        }
        try putBlock(value, in: backend)
        let report = try await StoreSchema.check(backend)
        #expect(report.findings.contains { $0.kind == .strayReferrer })
        let table = try #require(
            try backend.tables().first { $0.name == ReferrerTable.tableName }
        ).number
        #expect(throws: DataBufferError.self) { try UnmergedReferences(in: table, backend) }
        let store = try open()
        try store.indexes.build()
        let all = try store.objects(of: Bead.self)
        all[0].number += 1
        try store.save()
        let truth = try ReferrerTruth(backend, beads)
        #expect(truth.isRight && truth.written.count == owners, "\(truth.difference)")
        #expect(try store.referrers(of: all[1]) == [all[0]])
    }
}
