import Cabinet
import TrustSupport

@testable import CabinetTestModel

/// Edits of hubs and spokes that a seed gives, in parts, with what the model makes of them.
struct HubScript: Sendable {
    /// What is done to one list in one access.
    enum Edit: Sendable {
        case append(Int)
        case appendAll([Int])
        case insert(Int, at: Int)
        case assign([Int])
        case remove(at: Int)
        case removeAll
        case replace(Int, at: Int)
        case swap(Int, Int)
        case reverse
        case removeEvery(Int)
        /// A function that appends and replaces.
        case appendAndReplace(Int, Int, at: Int)
    }
    enum Step: Sendable {
        case edit(HubSide, of: Int, Edit)
        case set(HubSide, of: Int, to: Int?)
        case insert(Int, isHub: Bool)
        /// A new object, which has something in a relationship when it is inserted.
        case insertWith(Int, HubSide, [Int])
        case delete([Int], isDenied: Bool)
    }
    enum End: Sendable { case nothing, save, rollback }
    struct Part: Sendable {
        var steps: [Step] = []
        var end = End.nothing
        /// The graph after each step, and after the end.
        var after: [HubWorld] = []
        var outcome = HubWorld()
    }

    private(set) var parts: [Part] = []
    private var random: SeededRandom
    private var world = HubWorld()
    private var next = 0

    /// - Parameter sides: the relationships that are edited: with few of them, edits meet often.
    init(seed: UInt64, parts count: Int, steps: Int) {
        random = SeededRandom(seed: seed)
        var first = Part()
        for number in 0..<9 {
            first.steps.append(.insert(number, isHub: number < 4))
            world.insert(number, isHub: number < 4)
            first.after.append(world)
        }
        (first.end, first.outcome, next) = (.save, world, 9)
        parts.append(first)
        var saved = world
        for _ in 0..<count {
            var part = Part()
            let sides = focus()
            for _ in 0..<random.below(steps) + 1 {
                guard let step = makeStep(sides) else { continue }
                part.steps.append(step)
                part.after.append(world)
            }
            part.end = random.once(in: 4) ? .rollback : random.once(in: 2) ? .save : .nothing
            if part.end == .rollback { world = saved }
            if part.end == .save { saved = world }
            part.outcome = world
            parts.append(part)
        }
    }

    /// Edits of relationships that are not unique, between objects that are all there.
    init(seed: UInt64, plainSteps count: Int) {
        random = SeededRandom(seed: seed)
        var part = Part()
        for number in 0..<9 {
            part.steps.append(.insert(number, isHub: number < 4))
            world.insert(number, isHub: number < 4)
            part.after.append(world)
        }
        let sides = HubSide.allCases.filter { !$0.isUnique && $0.inverse?.isUnique != true }
        while part.steps.count < count {
            guard let step = makeEdit(sides) else { continue }
            part.steps.append(step)
            part.after.append(world)
        }
        part.outcome = world
        parts.append(part)
    }

    /// A relationship and its other side, mostly.
    private mutating func focus() -> [HubSide] {
        guard !random.once(in: 4), let side = HubSide.allCases.randomElement(using: &random) else {
            return HubSide.allCases
        }
        return [side, side, side.inverse ?? side]
    }

    private mutating func makeStep(_ sides: [HubSide]) -> Step? {
        switch random.below(24) {
        case 0: return makeDelete()
        case 1:
            let isHub = random.once(in: 2)
            world.insert(next, isHub: isHub)
            next += 1
            return .insert(next - 1, isHub: isHub)
        case 2: return makeInsert(sides)
        default: return makeEdit(sides)
        }
    }

    private mutating func makeEdit(_ sides: [HubSide]) -> Step? {
        guard let side = sides.randomElement(using: &random),
            let owner = world.numbers(ofHubs: side.isOfHub).randomElement(using: &random)
        else { return nil }
        let targets = world.numbers(ofHubs: side.leadsToHub)
        guard side.isMany else {
            let target = random.once(in: 4) ? nil : targets.randomElement(using: &random)
            world.set(side, of: owner, to: target.map { [$0] } ?? [])
            return .set(side, of: owner, to: target)
        }
        guard let edit = makeEdit(of: world.list(side, of: owner), targets) else { return nil }
        var list = world.list(side, of: owner)
        edit.apply(to: &list, { $0 }, append: { $0.append($1) })
        world.set(side, of: owner, to: list)
        return .edit(side, of: owner, edit)
    }

    private mutating func makeEdit(of list: [Int], _ targets: [Int]) -> Edit? {
        guard let target = targets.randomElement(using: &random) else { return nil }
        let place = list.isEmpty ? 0 : random.below(list.count)
        switch random.below(18) {
        case 0...5: return .append(target)
        case 6:
            return .appendAll(
                (0..<random.below(4)).map { _ in targets[random.below(targets.count)] })
        case 7: return .insert(target, at: random.below(list.count + 1))
        case 8, 9:
            return .assign((0..<random.below(5)).map { _ in targets[random.below(targets.count)] })
        case 10: return .removeAll
        case 11: return .removeEvery(target)
        case _ where list.isEmpty: return .append(target)
        case 12, 13: return .remove(at: place)
        case 14: return .replace(target, at: place)
        case 15: return .swap(0, place)
        case 16: return .reverse
        default:
            return .appendAndReplace(target, targets[random.below(targets.count)], at: place)
        }
    }

    private mutating func makeInsert(_ sides: [HubSide]) -> Step? {
        guard let side = sides.randomElement(using: &random) else { return nil }
        let targets = world.numbers(ofHubs: side.leadsToHub)
        guard !targets.isEmpty else { return nil }
        var chosen: [Int] = []
        for _ in 0..<(side.isMany ? random.below(3) + 1 : 1) {
            chosen.append(targets[random.below(targets.count)])
        }
        world.insert(next, isHub: side.isOfHub)
        world.set(side, of: next, to: chosen)
        next += 1
        return .insertWith(next - 1, side, chosen)
    }

    private mutating func makeDelete() -> Step? {
        let isHub = random.once(in: 2)
        var doomed: [Int] = []
        for _ in 0...random.below(3) {
            let found = world.numbers(ofHubs: isHub)
            guard found.count > 3, let one = found.randomElement(using: &random) else { break }
            if !doomed.contains(one) { doomed.append(one) }
        }
        if doomed.isEmpty { return nil }
        let isDenied = !world.delete(doomed)
        return .delete(doomed, isDenied: isDenied)
    }
}

extension HubScript.Edit {
    /// Makes the edit of `list`. `append` is the one that a program calls.
    func apply<Element>(
        to list: inout [Element], _ element: (Int) -> Element,
        append: (inout [Element], Element) -> Void
    ) where Element: Sameness {
        switch self {
        case .append(let one): append(&list, element(one))
        case .appendAll(let all): list += all.map(element)
        case .insert(let one, let place): list.insert(element(one), at: place)
        case .assign(let all): list = all.map(element)
        case .remove(let place): list.remove(at: place)
        case .removeAll: list.removeAll()
        case .replace(let one, let place): list[place] = element(one)
        case .swap(let one, let other): list.swapAt(one, other)
        case .reverse: list.reverse()
        case .removeEvery(let one):
            let gone = element(one)
            list.removeAll { $0.isSame(as: gone) }
        case .appendAndReplace(let one, let other, let place):
            append(&list, element(one))
            list[place] = element(other)
        }
    }
}

protocol Sameness { func isSame(as other: Self) -> Bool }
extension Int: Sameness { func isSame(as other: Int) -> Bool { self == other } }
extension Hub: Sameness { func isSame(as other: Hub) -> Bool { self === other } }
extension Spoke: Sameness { func isSame(as other: Spoke) -> Bool { self === other } }
