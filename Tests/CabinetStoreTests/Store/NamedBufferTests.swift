import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct NamedBufferTests {
    let backend = FaultyBackend()

    func open() throws -> Store { try Store(backend: backend, classes: [Song.self]) }

    func buffer(_ number: Int) -> DataBuffer {
        let buffer = DataBuffer()
        buffer.writeInt(number)
        return buffer
    }

    @Test func buffersAreCopiedInAndOut() throws {
        let store = try open()
        let mine = buffer(1)
        store.namedBuffers["x"] = mine
        mine.removeAll()
        mine.writeInt(2)
        #expect(try store.namedBuffers["x"]?.readInt() == 1)
        let read = try #require(store.namedBuffers["x"])
        #expect(try read.readInt() == 1)
        read.writeInt(3)
        #expect(try store.namedBuffers["x"]?.readInt() == 1, "each from its front")
        try store.save()
        #expect(try store.namedBuffers["x"]?.readInt() == 1)
        #expect(try open().namedBuffers["x"]?.readInt() == 1)
        #expect(store.namedBuffers["x"]?.count == 8)
    }

    @Test func namesComeAndGoWithTheSave() throws {
        let store = try open()
        store.namedBuffers["b"] = buffer(1)
        store.namedBuffers["a"] = buffer(2)
        #expect(store.hasChanges)
        #expect(try open().namedBuffers.all() == [])
        try store.save()
        #expect(!store.hasChanges)
        store.namedBuffers["b"] = nil
        store.namedBuffers["c"] = buffer(3)
        #expect(store.namedBuffers["b"] == nil)
        #expect(try store.namedBuffers.all() == ["a", "c"])
        #expect(try open().namedBuffers.all() == ["a", "b"])
        store.rollback()
        #expect(!store.hasChanges)
        #expect(try store.namedBuffers.all() == ["a", "b"])
        store.namedBuffers["b"] = nil
        store.namedBuffers["none"] = nil
        try store.save()
        #expect(try open().namedBuffers.all() == ["a"])
        #expect(store.namedBuffers["none"] == nil)
    }

    /// Names that look alike are the same only if their bytes are, before the save as behind it.
    @Test func namesAreTheirBytes() throws {
        let store = try open()
        store.namedBuffers["caf\u{E9}"] = buffer(1)
        store.namedBuffers["cafe\u{301}"] = buffer(2)
        for _ in 0..<2 {
            #expect(try store.namedBuffers["caf\u{E9}"]?.readInt() == 1)
            #expect(try store.namedBuffers["cafe\u{301}"]?.readInt() == 2)
            try store.save()
        }
        #expect(try open().namedBuffers["cafe\u{301}"]?.readInt() == 2)
    }

    /// Copies that were replaced are dropped now and then; the others stay what they are.
    @Test func manyNamesSetAgainAndAgain() throws {
        let store = try open()
        let words = 40
        func expected(_ name: Int, _ round: Int) -> [Int] {
            (0..<words).map { name * 1000 + round + $0 }
        }
        let rounds = 30
        for round in 0..<rounds {
            for name in 0..<100 where name < 10 || round < 3 {
                let buffer = DataBuffer()
                for number in expected(name, round) { buffer.writeInt(number) }
                store.namedBuffers["name \(name)"] = name % 7 == 3 && round == 2 ? nil : buffer
            }
            store.namedBuffers["grows"] = buffer(round)
        }
        func check(_ store: Store) throws {
            for name in 0..<100 {
                let round = name < 10 ? rounds - 1 : 2
                let isGone = name % 7 == 3 && name >= 10
                let buffer = store.namedBuffers["name \(name)"]
                #expect((buffer == nil) == isGone)
                guard let buffer else { continue }
                for number in expected(name, round) { #expect(try buffer.readInt() == number) }
                #expect(buffer.remaining == 0)
            }
            #expect(try store.namedBuffers["grows"]?.readInt() == rounds - 1)
            #expect(
                try store.namedBuffers.all().count == 101 - (10..<100).filter { $0 % 7 == 3 }.count)
        }
        try check(store)
        try store.save()
        try check(try open())
    }

    @Test(arguments: ["", " ", "ß/ü\u{0}\n", String(repeating: "n", count: 5000)])
    func anyTextIsAName(_ name: String) throws {
        let store = try open()
        store.namedBuffers[name] = buffer(7)
        try store.save()
        #expect(try open().namedBuffers[name]?.readInt() == 7)
        #expect(try open().namedBuffers.all() == [name])
        store.namedBuffers[name] = DataBuffer()
        try store.save()
        #expect(try open().namedBuffers[name]?.count == 0)
    }

    @Test func referencesLeadToTheStoresObjects() throws {
        let store = try open()
        let songs = (0..<3).map { Song("\($0)") }
        songs.forEach(store.insert)
        let top = DataBuffer()
        top.writeReferences([songs[2], songs[0]])
        top.writeAnyReference(songs[1])
        store.namedBuffers["Top"] = top
        try store.save()
        #expect(
            top.withUnsafeBytes { [UInt8]($0) }
                == [2, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0])
        let read = try #require(store.namedBuffers["Top"])
        #expect(try read.readReferences(to: Song.self).map(\.title) == ["2", "0"])
        #expect(try read.readAnyReference() === songs[1])
        try store.delete(songs[2])
        try store.save()
        #expect(try store.namedBuffers["Top"]?.readReferences(to: Song.self).map(\.title) == ["0"])
    }

    @Test func aBufferThatCannotBeReadIsToldOf() throws {
        let messages = Messages()
        let store = try Store(backend: backend, classes: [Song.self], log: messages.sink)
        backend.order { $0.readsFail = true }
        #expect(store.namedBuffers["x"] == nil)
        #expect(messages.all.count == 1)
        #expect(messages.all.first?.hasPrefix("error: The named buffer 'x' cannot be read") == true)
        #expect(throws: FaultyBackend.failure) { try store.namedBuffers.buffer(for: "x") }
        #expect(throws: FaultyBackend.failure) { try store.namedBuffers.all() }
    }
}
