import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Edits that repeat what another store has saved, and which that store then takes back: they count
/// for both sides of the relationship.
struct RepeatedEditTests {
    private let backend = MemoryBackend()
    private let stores: [Store]
    private var clubs: [[Clubs.Club]] = []
    private var persons: [[Clubs.Person]] = []

    init() throws {
        let backend = backend
        stores = try (0..<2).map { _ in try Store(backend: backend, classes: Clubs.classes) }
        for _ in 0..<2 { stores[0].insert(Clubs.Club()) }
        for _ in 0..<3 { stores[0].insert(Clubs.Person()) }
        try stores[0].save()
        for store in stores {
            try store.refresh()
            clubs.append(
                try store.objects(of: Clubs.Club.self).sorted { $0.rowID < $1.rowID })
            persons.append(
                try store.objects(of: Clubs.Person.self).sorted { $0.rowID < $1.rowID })
        }
    }

    /// Saves both, and expects both sides to agree in what is saved.
    private func finish(_ policy: ConflictPolicy = .merge) async throws {
        for store in stores { try store.save(onConflict: policy) }
        for store in stores { try store.refresh() }
        for store in stores { #expect(try Clubs.oneSided(in: store) == []) }
        #expect(try await StoreSchema.check(backend).findings == [])
    }

    @Test(arguments: ["merge", "mine", "theirs"])
    func anAppendToAListThatIsInConflict(_ policy: String) async throws {
        persons[0][0].club = clubs[0][0]
        clubs[1][0].members.append(persons[1][2])
        try stores[0].save()
        clubs[0][0].members.removeFirst()
        try stores[1].refresh()
        clubs[1][0].members.append(persons[1][0])
        try await finish(policy == "merge" ? .merge : policy == "mine" ? .mine : .theirs)
        let isKept = policy != "theirs"
        #expect(clubs[0][0].members == (isKept ? [persons[0][2], persons[0][0]] : []))
        #expect(persons[0][0].club == (isKept ? clubs[0][0] : nil))
    }

    @Test func anAssignmentOfAnObjectThatIsInConflict() async throws {
        clubs[0][0].members.append(persons[0][0])
        try stores[0].save()
        persons[1][0].age += 1
        try stores[1].refresh()
        persons[1][0].club = clubs[1][0]
        persons[0][0].club = nil
        try await finish()
        #expect(clubs[0][0].members == [persons[0][0]])
    }

    @Test func anAssignmentWhoseOtherSideWasTakenBack() async throws {
        persons[1][2].club = clubs[1][1]
        clubs[0][0].members.append(persons[0][2])
        try stores[1].save()
        clubs[1][1].members.removeFirst()
        try stores[0].refresh()
        persons[0][2].club = clubs[0][1]
        try stores[1].save()
        try await finish()
        #expect(clubs[1][1].members == [persons[1][2]])
        #expect(clubs[1][0].members.isEmpty)
    }

    @Test func aRemovalFromTheSideThatIsNotInConflict() async throws {
        persons[1][0].age += 1
        clubs[0][0].members.append(persons[0][0])
        try stores[0].save()
        try stores[1].refresh()
        // The person does not know of the club yet, which has it.
        clubs[1][0].members.removeFirst()
        clubs[1][0].members.append(persons[1][1])
        try await finish()
        #expect(clubs[0][0].members == [persons[0][1]])
        #expect(persons[0][0].club == nil && persons[0][0].age == 1)
    }

    @Test func anAppendToTheSideThatIsNotInConflict() async throws {
        clubs[0][0].members = [persons[0][0]]
        try stores[0].save()
        try stores[1].refresh()
        persons[1][0].age += 1
        clubs[0][0].members = []
        try stores[0].save()
        try stores[1].refresh()
        // The person still says so itself.
        clubs[1][0].members.append(persons[1][0])
        try await finish()
        #expect(clubs[0][0].members == [persons[0][0]])
    }

    @Test func aRemovalFromOneOfManyToMany() async throws {
        clubs[1][0].guests.append(persons[1][1])
        persons[0][0].visits.append(clubs[0][0])
        try stores[0].save()
        try stores[1].refresh()
        persons[1][0].visits.removeFirst()
        try await finish()
        #expect(persons[0][0].visits.isEmpty && clubs[0][0].guests == [persons[0][1]])
    }
}
