import Cabinet

/// Relationships of all kinds between two classes, and within one.
final class Hub: StoredObject {
    @Many(inverse: \Spoke.hub, onDelete: .cascade) var owned: [Spoke]
    @Many(inverse: \Spoke.fans, onDelete: .nullify) var liked: [Spoke]
    @Many(inverse: \Spoke.keepers, unique: true) var kept: [Spoke]
    @Many(inverse: \Spoke.chooser, onDelete: .deny, unique: true) var chosen: [Spoke]
    @Many(onDelete: .nullify, unique: true) var seen: [Spoke]
    @Many(onDelete: .nullify) var listed: [Spoke]
    @One(inverse: \Spoke.chief) var head: Spoke?
    @One var up: Hub?
    @Many(inverse: \Hub.up) var children: [Hub]
    @Many(inverse: \Hub.followers) var followed: [Hub]
    @Many var followers: [Hub]
}

final class Spoke: StoredObject {
    @One var hub: Hub?
    @Many var fans: [Hub]
    @Many var keepers: [Hub]
    @One var chooser: Hub?
    @One var chief: Hub?
}

let hubs: [StoredObject.Type] = [Hub.self, Spoke.self]

/// A side of a relationship of ``Hub`` and ``Spoke``.
enum HubSide: Int, CaseIterable, Sendable {
    case owned, liked, kept, chosen, seen, listed, head, up, children, followed, followers
    case hub, fans, keepers, chooser, chief

    var isOfHub: Bool { rawValue <= HubSide.followers.rawValue }
    var leadsToHub: Bool { !isOfHub || [.up, .children, .followed, .followers].contains(self) }
    var isMany: Bool { ![.head, .up, .hub, .chooser, .chief].contains(self) }
    var isUnique: Bool { [.kept, .chosen, .seen].contains(self) }

    var inverse: HubSide? {
        let pairs: [(HubSide, HubSide)] = [
            (.owned, .hub), (.liked, .fans), (.kept, .keepers), (.chosen, .chooser),
            (.head, .chief), (.children, .up), (.followed, .followers),
        ]
        for (one, other) in pairs {
            if self == one { return other }
            if self == other { return one }
        }
        return nil
    }
}

/// What stands in the relationships of hubs and spokes, by numbers, in plain arrays: the model.
struct HubWorld: Equatable {
    struct Place: Hashable {
        let side: HubSide
        let owner: Int
    }

    /// The numbers of what there is, and whether it is a hub.
    private(set) var alive: [Int: Bool] = [:]
    private(set) var lists: [Place: [Int]] = [:]

    func numbers(ofHubs isHub: Bool) -> [Int] {
        alive.filter { $0.value == isHub }.map(\.key).sorted()
    }

    func list(_ side: HubSide, of owner: Int) -> [Int] {
        lists[Place(side: side, owner: owner)] ?? []
    }

    mutating func insert(_ number: Int, isHub: Bool) { alive[number] = isHub }

    /// What one edit of a relationship makes of the graph.
    mutating func set(_ side: HubSide, of owner: Int, to wanted: [Int]) {
        var seen: Set<Int> = []
        let new = side.isUnique ? wanted.filter { seen.insert($0).inserted } : wanted
        let old = list(side, of: owner)
        put(new, side, owner)
        guard let inverse = side.inverse else { return }
        for other in Self.once(old) where !new.contains(other) {
            put(list(inverse, of: other).filter { $0 != owner }, inverse, other)
        }
        for other in Self.once(new) where !old.contains(other) {
            let owners = list(inverse, of: other)
            if owners.contains(owner) { continue }
            if inverse.isMany {
                put(owners + [owner], inverse, other)
            } else {
                put([owner], inverse, other)
                for former in owners {
                    put(list(side, of: former).filter { $0 != other }, side, former)
                }
            }
        }
    }

    /// Deletes `objects` together. `false` if that is denied: then nothing is done.
    mutating func delete(_ objects: [Int]) -> Bool {
        var doomed: Set<Int> = []
        var waiting = objects
        while let next = waiting.popLast() {
            guard doomed.insert(next).inserted else { continue }
            if alive[next] == true { waiting += list(.owned, of: next) }
        }
        let isDenied = doomed.contains { number in
            alive[number] == true && list(.chosen, of: number).contains { !doomed.contains($0) }
        }
        if isDenied { return false }
        for number in doomed { alive[number] = nil }
        lists = lists.filter { alive[$0.key.owner] != nil }
        for (place, objects) in lists {
            put(objects.filter { alive[$0] != nil }, place.side, place.owner)
        }
        return true
    }

    private mutating func put(_ objects: [Int], _ side: HubSide, _ owner: Int) {
        lists[Place(side: side, owner: owner)] = objects.isEmpty ? nil : objects
    }

    private static func once(_ numbers: [Int]) -> [Int] {
        var seen: Set<Int> = []
        return numbers.filter { seen.insert($0).inserted }
    }
}

extension HubWorld {
    /// What `objects` show, those of them that are there.
    init(_ objects: [Int: StoredObject], withPlain: Bool = false) {
        let numbers = Dictionary(
            uniqueKeysWithValues: objects.map { (ObjectIdentifier($0.value), $0.key) })
        for (number, object) in objects
        where withPlain || object.store != nil && !object.isDeleted {
            alive[number] = object is Hub
            for side in HubSide.allCases where side.isOfHub == (object is Hub) {
                let found = side.objects(of: object).map { numbers[ObjectIdentifier($0)] ?? -1 }
                put(found, side, number)
            }
        }
    }
}

extension HubSide {
    func objects(of object: StoredObject) -> [StoredObject] {
        if let hub = object as? Hub {
            return switch self {
            case .owned: hub.owned
            case .liked: hub.liked
            case .kept: hub.kept
            case .chosen: hub.chosen
            case .seen: hub.seen
            case .listed: hub.listed
            case .head: hub.head.map { [$0] } ?? []
            case .up: hub.up.map { [$0] } ?? []
            case .children: hub.children
            case .followed: hub.followed
            default: hub.followers
            }
        }
        guard let spoke = object as? Spoke else { return [] }
        return switch self {
        case .hub: spoke.hub.map { [$0] } ?? []
        case .fans: spoke.fans
        case .keepers: spoke.keepers
        case .chooser: spoke.chooser.map { [$0] } ?? []
        default: spoke.chief.map { [$0] } ?? []
        }
    }
}
