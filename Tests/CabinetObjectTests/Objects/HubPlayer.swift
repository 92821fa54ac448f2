import Cabinet
import Testing

@testable import CabinetTestModel

/// Does the steps of a ``HubScript`` in a store.
///
/// `isWatched`: all objects are observed, from before each step on.
final class HubPlayer {
    let store: Store
    private(set) var objects: [Int: StoredObject] = [:]
    private let isWatched: Bool
    private let isEager: Bool
    /// Whether objects are not inserted, and count all the same.
    private let isPlain: Bool

    /// - Parameter rows: the rows of the objects of earlier stores, by number.
    init(
        _ store: Store, rows: [Int: RowID] = [:], isWatched: Bool = false, isEager: Bool = false,
        isPlain: Bool = false
    ) throws {
        (self.store, self.isWatched, self.isEager) = (store, isWatched, isEager)
        self.isPlain = isPlain
        for hub in try store.objects(of: Hub.self) {
            for (number, row) in rows where row == hub.rowID && number >= 0 {
                objects[number] = hub
            }
        }
        for spoke in try store.objects(of: Spoke.self) {
            for (number, row) in rows where number < 0 && row == spoke.rowID {
                objects[-number - 1] = spoke
            }
        }
    }

    /// The rows of the objects that are there: those of spokes by -1 less their numbers.
    var rows: [Int: RowID] {
        var rows: [Int: RowID] = [:]
        for (number, object) in objects where object.store != nil && !object.isDeleted {
            rows[object is Hub ? number : -number - 1] = object.rowID
        }
        return rows
    }

    /// What the store shows.
    var world: HubWorld { HubWorld(objects, withPlain: isPlain) }

    func play(_ part: HubScript.Part, _ name: String) throws {
        for (index, step) in part.steps.enumerated() {
            let bell = Bell()
            if isWatched { bell.watch { _ = self.world } }
            try play(step)
            guard isWatched || isEager else { continue }
            let seen = world
            if seen != part.after[index] {
                return try agree(part.after[index], "\(name), step \(index) of \(part.steps)")
            }
        }
    }

    func agree(_ expected: HubWorld, _ name: String) throws {
        let seen = world
        if seen == expected { return }
        var differences: [String] = []
        for place in Set(seen.lists.keys).union(expected.lists.keys)
        where seen.lists[place] != expected.lists[place] {
            differences.append(
                "\(place.side) of \(place.owner): \(seen.lists[place] ?? []), not \(expected.lists[place] ?? [])"
            )
        }
        if seen.alive != expected.alive { differences.append("other objects") }
        struct Different: Error {}
        Issue.record("\(name): \(differences.sorted().joined(separator: "; "))")
        throw Different()
    }

    func play(_ step: HubScript.Step) throws {
        switch step {
        case .insert(let number, let isHub):
            let object = isHub ? Hub() : Spoke()
            objects[number] = object
            if !isPlain { store.insert(object) }
        case .insertWith(let number, let side, let others):
            let object = side.isOfHub ? Hub() : Spoke()
            objects[number] = object
            change(side, of: object, .assign(others))
            store.insert(object)
        case .set(let side, let owner, let other):
            if let object = objects[owner] {
                change(side, of: object, .assign(other.map { [$0] } ?? []))
            }
        case .edit(let side, let owner, let edit):
            if let object = objects[owner] { change(side, of: object, edit) }
        case .delete(let numbers, let isDenied):
            let doomed = numbers.compactMap { objects[$0] }
            if isDenied {
                #expect(throws: StoreError.self) { try store.delete(contentsOf: doomed) }
            } else {
                try store.delete(contentsOf: doomed)
            }
        }
    }

    private func hub(_ number: Int) -> Hub { objects[number] as? Hub ?? Hub() }
    private func spoke(_ number: Int) -> Spoke { objects[number] as? Spoke ?? Spoke() }

    private func edit(_ list: inout [Spoke], _ edit: HubScript.Edit) {
        edit.apply(to: &list, { self.spoke($0) }, append: { $0.append($1) })
    }

    private func edit(_ list: inout [Hub], _ edit: HubScript.Edit) {
        edit.apply(to: &list, { self.hub($0) }, append: { $0.append($1) })
    }

    private func change(_ side: HubSide, of object: StoredObject, _ edit: HubScript.Edit) {
        var only: Int?
        if case .assign(let numbers) = edit { only = numbers.first }
        if let hub = object as? Hub {
            switch side {
            case .owned: self.edit(&hub.owned, edit)
            case .liked: self.edit(&hub.liked, edit)
            case .kept: self.edit(&hub.kept, edit)
            case .chosen: self.edit(&hub.chosen, edit)
            case .seen: self.edit(&hub.seen, edit)
            case .listed: self.edit(&hub.listed, edit)
            case .head: hub.head = only.map(spoke)
            case .up: hub.up = only.map(self.hub)
            case .children: self.edit(&hub.children, edit)
            case .followed: self.edit(&hub.followed, edit)
            default: self.edit(&hub.followers, edit)
            }
        } else if let spoke = object as? Spoke {
            switch side {
            case .hub: spoke.hub = only.map(hub)
            case .fans: self.edit(&spoke.fans, edit)
            case .keepers: self.edit(&spoke.keepers, edit)
            case .chooser: spoke.chooser = only.map(hub)
            default: spoke.chief = only.map(hub)
            }
        }
    }
}
