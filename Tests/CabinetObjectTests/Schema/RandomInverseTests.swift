import Cabinet
import CabinetMemory
import Testing
import TrustSupport

@testable import CabinetTestModel

/// Records of random relationships from before there were inverses, and random edits afterwards.
struct RandomInverseTests {
    private typealias Singer = Paired.Singer
    private typealias Choir = Paired.Choir

    private func writeLoose(_ backend: MemoryBackend, _ random: inout SeededRandom) throws {
        let store = try Store(backend: backend, classes: [Loose.Singer.self, Loose.Choir.self])
        let singers = (0..<8).map { _ in Loose.Singer() }
        let choirs = (0..<5).map { _ in Loose.Choir() }
        for singer in singers {
            singer.choirs = choirs.filter { _ in random.next() % 3 == 0 }
            singer.base = random.next() % 3 == 0 ? nil : choirs.randomElement(using: &random)
            singer.partner = random.next() % 2 == 0 ? nil : singers.randomElement(using: &random)
            store.insert(singer)
        }
        for choir in choirs {
            choir.singers = singers.filter { _ in random.next() % 2 == 0 }.shuffled(using: &random)
            choir.residents = singers.filter { _ in random.next() % 3 == 0 }
            choir.leader = random.next() % 3 == 0 ? nil : singers.randomElement(using: &random)
            store.insert(choir)
        }
        try store.save()
    }

    /// What stands in all relationships, each side by itself, and whether the sides agree.
    private func look(_ backend: MemoryBackend, _ seed: UInt64) throws -> [String] {
        let store = try Store(backend: backend, classes: [Singer.self, Choir.self])
        var random = SeededRandom(seed: seed)
        // Whichever is read first.
        let isTurned = random.next() % 2 == 0
        if isTurned { _ = try store.objects(of: Choir.self) }
        let singers = try store.objects(of: Singer.self)
        let choirs = try store.objects(of: Choir.self)
        for singer in singers {
            for choir in choirs {
                let sings = choir.singers.contains { $0 === singer }
                #expect(sings == singer.choirs.contains { $0 === choir }, "seed \(seed)")
                let lives = choir.residents.contains { $0 === singer }
                #expect(lives == (singer.base === choir), "seed \(seed)")
                #expect((choir.leader === singer) == (singer.led === choir), "seed \(seed)")
            }
            for other in singers {
                #expect(
                    (singer.partner === other) == (other.chosenBy === singer), "seed \(seed)")
            }
        }
        return singers.map { singer in
            let choirs = singer.choirs.map(\.rowID).sorted()
            return "\(choirs) \(singer.base?.rowID ?? 0) \(singer.led?.rowID ?? 0) "
                + "\(singer.partner?.rowID ?? 0)"
        }
    }

    /// Random edits by the program of today.
    private func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let singers = try store.objects(of: Singer.self)
        let choirs = try store.objects(of: Choir.self)
        guard let singer = singers.randomElement(using: &random),
            let other = singers.randomElement(using: &random),
            let choir = choirs.randomElement(using: &random)
        else { return }
        switch random.next() % 9 {
        case 0: singer.choirs.append(choir)
        case 1: choir.singers.removeAll { $0 === singer }
        case 2: choir.singers.insert(singer, at: 0)
        case 3: singer.base = random.next() % 2 == 0 ? choir : nil
        case 4: choir.residents = [singer, other]
        case 5: choir.leader = singer
        case 6: singer.partner = other
        case 7: choir.name += "."
        default: singer.name += "."
        }
    }

    /// A program that knows no inverses changes a choir or a singer.
    private func editLoosely(_ backend: MemoryBackend, _ random: inout SeededRandom) throws {
        let store = try Store(backend: backend, classes: [Loose.Singer.self, Loose.Choir.self])
        let singers = try store.objects(of: Loose.Singer.self)
        guard let choir = try store.objects(of: Loose.Choir.self).randomElement(using: &random)
        else { return }
        choir.singers = singers.filter { _ in random.next() % 3 == 0 }
        choir.leader = singers.randomElement(using: &random)
        try store.save()
    }

    @Test(arguments: RunSetting.seeds(40))
    func bothSidesAgreeWhateverWasWrittenAndWhoeverWritesNext(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let backend = MemoryBackend()
        try writeLoose(backend, &random)
        let first = try look(backend, 0)
        #expect(try look(backend, 1) == first)
        for round in 0..<6 {
            let store = try Store(backend: backend, classes: [Singer.self, Choir.self])
            for _ in 0..<(1 + random.next() % 4) { try edit(store, &random) }
            if random.next() % 4 == 0 { store.rollback() }
            try store.save()
            // What was in memory is what is read.
            let kept = try store.objects(of: Singer.self).map { singer in
                "\(singer.choirs.map(\.rowID).sorted()) \(singer.base?.rowID ?? 0) "
                    + "\(singer.led?.rowID ?? 0) \(singer.partner?.rowID ?? 0)"
            }
            #expect(try look(backend, UInt64(round)) == kept, "seed \(seed), round \(round)")
            if round == 2 { try editLoosely(backend, &random) }
            if round == 4 { _ = try store.upgradeAll() }
        }
    }
}
