import Cabinet
import CabinetMemory
import Testing
import TrustSupport

@testable import CabinetTestModel

/// Both sides of relationships between objects that are in no store.
struct PlainInverseTests {
    let backend = MemoryBackend()

    /// What was set from the side that does not name the inverse was lost.
    @Test func whatLeadsToAnInsertedObjectIsInsertedWithIt() throws {
        let store = try Store(backend: backend, classes: hubs)
        let (hub, spoke, fan) = (Hub(), Spoke(), Spoke())
        spoke.hub = hub
        fan.fans.append(hub)
        #expect(isSame(hub.owned, [spoke]) && isSame(hub.liked, [fan]))
        store.insert(hub)
        #expect(spoke.store === store && fan.store === store)
        try store.save()
        let again = try Store(backend: backend, classes: hubs)
        #expect(try again.objects(of: Hub.self).map(\.owned.count) == [1])
        store.dissolveAllRelationships()
    }

    @Test func theyFollowEachOther() {
        let (one, two, spoke) = (Hub(), Hub(), Spoke())
        one.owned = [spoke, spoke]
        #expect(spoke.hub === one)
        two.owned.append(spoke)
        #expect(one.owned.isEmpty && spoke.hub === two)
        spoke.hub = one
        #expect(two.owned.isEmpty && one.owned.count == 1)
        one.owned.removeAll()
        #expect(spoke.hub == nil)
        (one.head, two.up) = (spoke, one)
        #expect(spoke.chief === one && isSame(one.children, [two]))
        spoke.chief = two
        #expect(one.head == nil && two.head === spoke)
        two.up = two
        #expect(one.children.isEmpty && isSame(two.children, [two]))
        (two.head, two.up) = (nil, nil)
        #expect(spoke.chief == nil && two.children.isEmpty)
    }

    @Test func whatAClosureChangesMeanwhileIsFollowed() {
        let (one, two) = (Hub(), Hub())
        let spokes = (0..<4).map { _ in Spoke() }
        one.liked = spokes
        let other = Spoke()
        one.liked.removeAll { spoke in
            if spoke === spokes[0] { spoke.fans = [two] }
            if spoke === spokes[1] { other.fans.append(one) }
            return spoke === spokes[2]
        }
        #expect(isSame(one.liked, [spokes[0], spokes[1], spokes[3], other]))
        #expect(isSame(spokes[0].fans, [two, one]) && isSame(two.liked, [spokes[0]]))
        #expect(spokes[2].fans.isEmpty && isSame(spokes[1].fans, [one]))
        one.liked = []
        two.liked = []
    }

    @Test func aChainIsInsertedFromAnyOfItsLinks() throws {
        for first in [0, 1, 500, 999] {
            let store = try Store(inMemory: hubs)
            let chain = (0..<1_000).map { _ in Hub() }
            for (index, hub) in chain.enumerated().dropFirst() {
                if index % 2 == 0 {
                    hub.up = chain[index - 1]
                } else {
                    chain[index - 1].children = [hub]
                }
            }
            store.insert(chain[first])
            #expect(chain.allSatisfy { $0.store === store })
            try store.save()
            #expect(try store.count(of: Hub.self) == 1_000)
            store.dissolveAllRelationships()
        }
    }

    @Test func loopsOfAppendsStayLinear() {
        let hub = Hub()
        let spokes = (0..<20_000).map { _ in Spoke() }
        for spoke in spokes { hub.owned.append(spoke) }
        #expect(spokes[19_999].hub === hub)
        let other = Hub()
        for spoke in spokes { spoke.chooser = other }
        #expect(other.chosen.count == 20_000)
        (hub.owned, other.chosen) = ([], [])
        #expect(spokes[0].hub == nil && spokes[19_999].chooser == nil)
    }

    /// Edits of plain objects, some of which are inserted on the way, agree with the model, and so
    /// does what is saved.
    @Test(arguments: RunSetting.seeds(60))
    func plainAndStoredObjectsAgreeWithTheModel(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try Store(backend: backend, classes: hubs)
        store.undoHistory.isEnabled = seed % 4 == 0
        let script = HubScript(seed: seed, plainSteps: 60)
        let player = try HubPlayer(store, isPlain: true)
        let part = script.parts[0]
        for (index, step) in part.steps.enumerated() {
            let name = "seed \(seed), step \(index), \(step)"
            try player.play(step)
            if seed % 2 == 0 { try player.agree(part.after[index], name) }
            if index > 9, random.once(in: 30),
                let one = player.objects.values.randomElement(using: &random)
            {
                store.insert(one)
                try player.agree(part.after[index], "\(name), inserted")
            }
        }
        for number in player.objects.keys.sorted() {
            if let object = player.objects[number] { store.insert(object) }
        }
        try player.agree(part.outcome, "seed \(seed), at the end")
        try store.save()
        let again = try HubPlayer(
            try Store(backend: backend, classes: hubs), rows: player.rows)
        try again.agree(part.outcome, "seed \(seed), opened again")
        for one in [store, again.store] { one.dissolveAllRelationships() }
    }
}
