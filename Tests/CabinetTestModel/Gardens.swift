import Cabinet

/// What nothing leads back from: plants refer to it loosely.
class Pot: StoredObject {
    @Field var name = 0

    convenience init(_ name: Int) {
        self.init()
        self.name = name
    }
}

final class Amphora: Pot {
    @Field var note = ""
}

/// What refers to pots, in each kind of loose relationship.
protocol Potted: StoredObject {
    var number: Int { get set }
    var pot: Pot? { get set }
    var spare: StoredObject? { get set }
    var others: [Pot] { get set }
}

final class Plant: StoredObject, Potted {
    @Field var number = 0
    @Field var kind = 0
    @One var pot: Pot?
    @One var spare: StoredObject?
    @Many var others: [Pot]
    @Many(inverse: \Bed.plants) var beds: [Bed]

    override class var indexes: [Index] {
        [
            .ordered(\Plant.pot), .ordered(\Plant.kind, \Plant.pot, \Plant.number),
            .ordered(\Plant.number), .unique(\Plant.pot, \Plant.number),
            .ordered(
                \Plant.number, named: "unpotted", where: { (plant: Plant) in plant.pot == nil }),
            .computed(named: "count") { (plant: Plant) in plant.others.count },
            .elements(of: \Plant.others),
        ]
    }
}

/// As a plant, without indexes.
final class Weed: StoredObject, Potted {
    @Field var number = 0
    @One var pot: Pot?
    @One var spare: StoredObject?
    @Many(unique: true) var others: [Pot]
}

final class Bed: StoredObject {
    @Many var plants: [Plant]
}

enum Garden {
    static let classes: [StoredObject.Type] = [
        Pot.self, Amphora.self, Plant.self, Weed.self, Bed.self,
    ]
}
