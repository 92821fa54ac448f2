import CabinetBackend
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Persons and clubs, with inverses of all kinds: one to many, many to many, one to one, and within
/// a class.
enum Clubs {
    final class Person: StoredObject {
        static let ownFriends: PartialKeyPath<Person> & Sendable = \Person.friends

        @Field var age = 0
        @One var club: Club?
        @Many var visits: [Club]
        @One var leads: Club?
        @One var parent: Person?
        @Many(inverse: \Person.parent) var children: [Person]
        @Many(inverse: Person.ownFriends) var friends: [Person]
        @One(inverse: \Person.chosenBy) var partner: Person?
        @One var chosenBy: Person?
        override class var storageName: String { "Person" }
    }

    final class Club: StoredObject {
        @Field var year = 0
        @Many(inverse: \Person.club) var members: [Person]
        @Many(inverse: \Person.visits) var guests: [Person]
        @One(inverse: \Person.leads) var leader: Person?
        override class var storageName: String { "Club" }
    }

    static let classes: [StoredObject.Type] = [Person.self, Club.self]

    private struct Pair: Hashable {
        let owner: RowID
        let target: RowID
        var reversed: Pair { Pair(owner: target, target: owner) }
    }

    private static func pairs<Owner: StoredObject, Target: StoredObject>(
        _ owners: [Owner], _ targets: (Owner) -> [Target]
    ) -> Set<Pair> {
        var found: Set<Pair> = []
        for owner in owners {
            for target in targets(owner) {
                found.insert(Pair(owner: owner.rowID, target: target.rowID))
            }
        }
        return found
    }

    /// The relationships of which `store` does not show both sides.
    static func oneSided(in store: Store) throws -> [String] {
        let persons = Array(try store.objects(of: Person.self))
        let clubs = Array(try store.objects(of: Club.self))
        func one<Object>(_ object: Object?) -> [Object] { object.map { [$0] } ?? [] }
        func backwards(_ pairs: Set<Pair>) -> Set<Pair> { Set(pairs.map(\.reversed)) }
        let sides: [(String, Set<Pair>, Set<Pair>)] = [
            ("members", pairs(clubs) { $0.members }, pairs(persons) { one($0.club) }),
            ("guests", pairs(clubs) { $0.guests }, pairs(persons) { $0.visits }),
            ("leader", pairs(clubs) { one($0.leader) }, pairs(persons) { one($0.leads) }),
            ("children", pairs(persons) { $0.children }, pairs(persons) { one($0.parent) }),
            ("friends", pairs(persons) { $0.friends }, pairs(persons) { $0.friends }),
            ("partner", pairs(persons) { one($0.partner) }, pairs(persons) { one($0.chosenBy) }),
        ]
        return sides.compactMap { name, these, those in
            let difference = these.symmetricDifference(backwards(those))
            return difference.isEmpty ? nil : "\(name): \(difference.map { "\($0)" }.sorted())"
        }
    }
}
