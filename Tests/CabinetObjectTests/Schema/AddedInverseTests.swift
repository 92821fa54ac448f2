import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Relationships that had no inverse when their records were written.
struct AddedInverseTests {
    let backend = MemoryBackend()

    func open(_ classes: StoredObject.Type..., log: LogSink = .none) throws -> Store {
        try Store(backend: backend, classes: classes, log: log)
    }
    func paired() throws -> Store { try open(Paired.Singer.self, Paired.Choir.self) }

    /// The first byte of the record in `row` of class `name`.
    func layout(_ name: String, _ row: RowID) throws -> UInt8 {
        let table = try #require(try backend.tables().first { $0.name == name }).number
        let buffer = DataBuffer()
        #expect(try backend.value(of: row, in: table, into: buffer))
        return buffer.withUnsafeBytes { $0[0] }
    }

    /// Singers a, b and c in rows 2 to 4; choirs [b, a, b] and [a] in rows 2 and 3.
    func writeOneSided() throws {
        let store = try open(OneSided.Singer.self, OneSided.Choir.self)
        let singers = ["a", "b", "c"].map { name in
            let singer = OneSided.Singer()
            singer.name = name
            store.insert(singer)
            return singer
        }
        let (one, two) = (OneSided.Choir(), OneSided.Choir())
        one.singers = [singers[1], singers[0], singers[1]]
        two.singers = [singers[0]]
        store.insert(one)
        store.insert(two)
        try store.save()
    }

    @Test func theOtherSideIsThereWithoutAMigration() throws {
        try writeOneSided()
        let store = try paired()
        let singers = try store.objects(of: Paired.Singer.self)
        #expect(singers.map { $0.choirs.map(\.rowID) } == [[2, 3], [2], []])
        let choir = try #require(try store.object(Paired.Choir.self, rowID: 2))
        #expect(choir.singers.map(\.name) == ["b", "a", "b"] && singers[0].choirs[0] === choir)
        #expect(!store.hasChanges)
        #expect(try store.referrers(of: choir).map(\.rowID) == [2, 3])
    }

    /// A delete before the inverse was declared took the object out of no list.
    @Test func whatWasDeletedBeforeIsNotWrong() async throws {
        try writeOneSided()
        let old = try open(OneSided.Singer.self, OneSided.Choir.self)
        try old.delete(try #require(try old.object(OneSided.Singer.self, rowID: 3)))
        try old.save()
        let store = try paired()
        let choir = try #require(try store.object(Paired.Choir.self, rowID: 3))
        choir.singers = [try #require(try store.object(Paired.Singer.self, rowID: 4))]
        try store.save()
        #expect(try layout("Choir", 2) == 1 && layout("Choir", 3) == 2)
        let report = try await StoreSchema.check(backend)
        #expect(report.isSound)
        #expect(report.counts == [.looseReference: 1])
    }

    /// It stood in the list until the object was touched, and a save in between wrote it again: as
    /// one that the inverse should have kept right.
    @Test func whatWasDeletedBeforeIsLeftOut() async throws {
        try writeOneSided()
        let old = try open(OneSided.Singer.self, OneSided.Choir.self)
        try old.delete(try #require(try old.object(OneSided.Singer.self, rowID: 3)))
        try old.save()
        let store = try paired()
        for row: RowID in [2, 3] {
            let choir = try #require(try store.object(Paired.Choir.self, rowID: row))
            #expect(choir.singers.map(\.name) == ["a"])
            choir.name = "written anew"
        }
        #expect(try store.objects(of: Paired.Singer.self).map(\.choirs.count) == [2, 0])
        try store.save()
        #expect(try layout("Choir", 2) == 2)
        #expect(try await StoreSchema.check(backend).findings == [])
    }

    @Test func oneObjectAloneKnowsItsOtherSide() throws {
        try writeOneSided()
        let store = try paired()
        let singer = try #require(try store.object(Paired.Singer.self, rowID: 2))
        #expect(singer.choirs.map(\.rowID) == [2, 3])
    }

    /// What was found out of either side kept both classes, their pages and their backend.
    @Test func aStoreThatCompletedRecordsGoes() throws {
        try writeOneSided()
        var store: Store? = try paired()
        let found = try store?.objects(of: Paired.Singer.self).map(\.choirs.count)
        #expect(found == [2, 1, 0])
        #expect(try store?.objects(of: Paired.Choir.self).count == 2)
        weak let singers = store?.classes[0]
        weak let choirs = store?.classes[1]
        #expect(singers != nil && choirs != nil)
        store = nil
        #expect(singers == nil && choirs == nil)
    }

    @Test func editsFromEitherSideAreKept() throws {
        try writeOneSided()
        let store = try paired()
        let (a, b) = (
            try #require(try store.object(Paired.Singer.self, rowID: 2)),
            try #require(try store.object(Paired.Singer.self, rowID: 3))
        )
        let choir = try #require(try store.object(Paired.Choir.self, rowID: 2))
        choir.singers.removeAll { $0 === b }
        #expect(b.choirs.isEmpty)
        a.choirs = []
        #expect(choir.singers.isEmpty)
        b.choirs = [try #require(try store.object(Paired.Choir.self, rowID: 3))]
        try store.save()
        #expect(try layout("Singer", 2) == 2 && layout("Singer", 4) == 1)

        let again = try paired()
        let singers = try again.objects(of: Paired.Singer.self)
        #expect(singers.map { $0.choirs.map(\.rowID) } == [[], [3], []])
        let choirs = try again.objects(of: Paired.Choir.self)
        #expect(choirs.map { $0.singers.map(\.name) } == [[], ["b"]])
    }

    @Test func rollbackAndUndoGoBackToIt() throws {
        try writeOneSided()
        let store = try paired()
        let a = try #require(try store.object(Paired.Singer.self, rowID: 2))
        let choir = try #require(try store.object(Paired.Choir.self, rowID: 3))
        a.choirs = []
        #expect(choir.singers.isEmpty)
        store.rollback()
        #expect(a.choirs.map(\.rowID) == [2, 3] && choir.singers.count == 1)
        store.undoHistory.isEnabled = true
        try store.undoHistory.group("delete") { try store.delete(a) }
        #expect(choir.singers.isEmpty)
        try store.save()
        try store.undoHistory.undo()
        try store.save()
        let again = try paired()
        let found = try #require(try again.object(Paired.Singer.self, rowID: 2))
        #expect(found.choirs.map(\.rowID) == [2, 3])
        #expect(try again.object(Paired.Choir.self, rowID: 2)?.singers.count == 3)
    }

    @Test func aDeletedObjectLeavesTheOtherSideByRule() throws {
        try writeOneSided()
        let store = try paired()
        let b = try #require(try store.object(Paired.Singer.self, rowID: 3))
        #expect(try store.previewDelete(b).changed.map(\.rowID) == [2])
        try store.delete(b)
        try store.save()
        let again = try paired()
        let choirs = try again.objects(of: Paired.Choir.self)
        #expect(choirs.map { $0.singers.map(\.name) } == [["a"], ["a"]])
    }

    @Test func upgradingWritesItDown() throws {
        try writeOneSided()
        #expect(try paired().upgradeAll() == 5)
        let store = try paired()
        #expect(try layout("Singer", 2) == 2 && layout("Choir", 2) == 2)
        #expect(
            try store.objects(of: Paired.Singer.self).map { $0.choirs.map(\.rowID) }
                == [[2, 3], [2], []])
        #expect(try store.upgradeAll() == 0)
    }

    @Test func theNamingSideIsMadeOfTheOtherWhereItIsNew() throws {
        let old = try open(OtherSided.Singer.self, OtherSided.Choir.self)
        let choirs = [OtherSided.Choir(), OtherSided.Choir()]
        for base in [choirs[0], choirs[1], choirs[0], nil] {
            let singer = OtherSided.Singer()
            singer.base = base
            old.insert(singer)
        }
        choirs.forEach(old.insert)
        try old.save()
        let store = try paired()
        let found = try store.objects(of: Paired.Choir.self)
        #expect(found.map { $0.residents.map(\.rowID) } == [[2, 4], [3]])
        let singer = found[0].residents[1]
        #expect(singer.base === found[0])
        singer.base = found[1]
        #expect(found.map { $0.residents.map(\.rowID) } == [[2], [3, 4]])
        try store.save()
        let again = try paired()
        #expect(
            try again.objects(of: Paired.Choir.self).map { $0.residents.map(\.rowID) }
                == [[2], [3, 4]])
    }

    @Test func whatWasWrittenByHandLeadsBackToo() throws {
        let old = try open(ByHand.Singer.self, ByHand.Choir.self)
        let (one, two) = (ByHand.Singer(), ByHand.Singer())
        let (first, second) = (ByHand.Choir(), ByHand.Choir())
        one.base = second
        first.singers = [two, one, two]
        for object in [one, two, first, second] { old.insert(object) }
        try old.save()

        let store = try open(AfterHand.Singer.self, AfterHand.Choir.self)
        let choirs = try store.objects(of: AfterHand.Choir.self)
        #expect(choirs.map { $0.residents.map(\.rowID) } == [[], [2]])
        #expect(choirs[0].singers.map(\.rowID) == [3, 2, 3])
        let singers = try store.objects(of: AfterHand.Singer.self)
        #expect(singers.map { $0.choirs.map(\.rowID) } == [[2], [2]])
        #expect(singers[0].base === choirs[1] && !store.hasChanges)
        singers[0].name = "new"
        try store.save()

        // To the program of that past it is a newer version, and the rest is as it was.
        let back = try open(ByHand.Singer.self, ByHand.Choir.self)
        #expect(throws: StoreError.newerVersion(class: "Singer", row: 2, found: 2, known: 1)) {
            try back.object(ByHand.Singer.self, rowID: 2)
        }
        let choir = try #require(try back.object(ByHand.Choir.self, rowID: 2))
        choir.singers.removeAll { $0.rowID == 2 }
        try back.save()

        // Its edit is known on both sides, whatever the newer record says.
        let again = try open(AfterHand.Singer.self, AfterHand.Choir.self)
        #expect(
            try again.objects(of: AfterHand.Singer.self).map { $0.choirs.map(\.rowID) }
                == [[], [2]])
        try #require(try again.object(AfterHand.Choir.self, rowID: 2)).singers.removeAll()
        try again.save()
        let last = try open(AfterHand.Singer.self, AfterHand.Choir.self)
        #expect(
            try last.objects(of: AfterHand.Singer.self).map { $0.choirs.map(\.rowID) }
                == [[], []])
    }

    @Test func anOlderProgramsEditsAreNoticed() throws {
        try writeOneSided()
        let store = try paired()
        for singer in try store.objects(of: Paired.Singer.self) { singer.name += "!" }
        try store.save()
        #expect(try layout("Singer", 2) == 2)

        let old = try open(OneSided.Singer.self, OneSided.Choir.self)
        let choirs = try old.objects(of: OneSided.Choir.self)
        choirs[0].singers = [try #require(try old.object(OneSided.Singer.self, rowID: 4))]
        try old.save()

        let again = try paired()
        #expect(
            try again.objects(of: Paired.Singer.self).map { $0.choirs.map(\.rowID) }
                == [[3], [], [2]])
        #expect(try again.upgradeAll() > 0)
        #expect(try layout("Singer", 2) == 3)
        #expect(try paired().upgradeAll() == 0)
        // A program that only reads, or knows the pair, ends nothing.
        _ = try open(OneSided.Singer.self, OneSided.Choir.self).objects(of: OneSided.Choir.self)
        let last = try paired()
        last.insert(Paired.Singer())
        try last.save()
        #expect(try paired().upgradeAll() == 0)
    }

    @Test func aRecordThatCannotBeReadIsLeftOutAndTold() throws {
        try writeOneSided()
        let table = try #require(try backend.tables().first { $0.name == "Choir" }).number
        let batch = backend.makeBatch()
        batch.beginRecord(2, in: table).writeUInt8(1)
        try batch.endRecord()
        try backend.commit(batch)
        let messages = Guarded<[String]>([])
        let store = try open(
            Paired.Singer.self, Paired.Choir.self,
            log: LogSink { _, message in messages.withLock { $0.append(message) } })
        #expect(
            try store.objects(of: Paired.Singer.self).map { $0.choirs.map(\.rowID) }
                == [[3], [], []])
        #expect(messages.withLock { $0.contains { $0.hasPrefix("Left out of 'singers'") } })
    }
}
