import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet

/// Lists that two stores have edited, merged by a save.
struct MergedListTests {
    final class Card: StoredObject {
        @Field var number = 0
    }

    /// None of its relationships has another side.
    final class Pile: StoredObject {
        @Field var name = ""
        @Many var cards: [Card]
        @Many(onDelete: .nullify) var hand: [Card]
    }

    private func edited(
        _ list: [Int], adding first: Int, _ random: inout SeededRandom
    ) -> [Int] {
        var list = list.filter { _ in !random.once(in: 4) }
        for added in 0..<random.below(4) {
            list.insert(first + added, at: random.below(list.count + 1))
        }
        return list
    }

    /// Once, what the other store had put into such a list was lost, and what it had taken out came back.
    @Test(arguments: RunSetting.seeds(60))
    func whatBothHaveDoneIsThere(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let backend = MemoryBackend()
        let stores = try (0..<2).map { _ in
            try Store(backend: backend, classes: [Card.self, Pile.self])
        }
        for number in 0..<24 {
            let card = Card()
            card.number = number
            stores[0].insert(card)
        }
        let pile = Pile()
        stores[0].insert(pile)
        var base = Array(0..<random.below(7))
        let first = try stores[0].objects(of: Card.self)
        pile.cards = base.map { first[$0] }
        pile.hand = pile.cards
        try stores[0].save()
        try stores[1].refresh()
        let cards = try stores.map { try $0.objects(of: Card.self) }
        let piles = try stores.map { try #require(try $0.objects(of: Pile.self).first) }
        var gone: Set<Int> = []
        for round in 0..<3 {
            var theirs = edited(base, adding: 8 + 4 * round, &random)
            var mine = edited(base, adding: 10 + 4 * round, &random)
            piles[1].cards = theirs.map { cards[1][$0] }
            piles[1].hand = piles[1].cards
            if random.once(in: 3) { piles[1].name = "\(round)" }
            if random.once(in: 3), let victim = (base + theirs + mine).min() {
                try stores[1].delete(cards[1][victim])
                gone.insert(victim)
            }
            try stores[1].save()
            piles[0].cards = mine.map { cards[0][$0] }
            piles[0].hand = piles[0].cards
            if random.once(in: 3) { piles[0].name += "x" }
            // As a store that was just opened has it, or one that has read it.
            if random.once(in: 2) { try stores[0].refresh() }
            try stores[0].save(onConflict: .merge)
            base.removeAll(where: gone.contains)
            theirs.removeAll(where: gone.contains)
            mine.removeAll(where: gone.contains)
            let wanted =
                mine == base
                ? theirs
                : theirs == base ? mine : ListMerge(base: base, mine: mine, theirs: theirs).result
            // One that has changed nothing saves nothing.
            for store in stores { try store.refresh() }
            for pile in piles {
                #expect(pile.hand.map(\.number) == wanted, "seed \(seed), round \(round)")
                let cards = pile.cards.filter { $0.store != nil }
                // Without a rule, a deleted object counts until the merge.
                #expect(
                    gone.isEmpty
                        ? cards.map(\.number) == wanted : Set(cards.map(\.number)) == Set(wanted),
                    "seed \(seed), round \(round)")
            }
            #expect(piles[0].name == piles[1].name)
            base = wanted
        }
    }
}
