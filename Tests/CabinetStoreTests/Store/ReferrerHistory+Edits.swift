import Testing

@testable import Cabinet
@testable import CabinetTestModel

extension ReferrerHistory {
    func edit() throws -> String {
        switch random.next(upTo: 20) {
        case 0, 1: return insert()
        case 2, 3, 4, 5: return try setNumbers()
        case 6, 7, 8, 9: return try editLists()
        case 10, 11, 12: return try editSingles()
        case 13, 14: return try delete()
        case 15: return try editOwners()
        case 16:
            guard let link = try any(Bead.self), link.isChanged, !link.isInserted else {
                return "nothing"
            }
            try store.rollback(link)
            return "refresh \(link.rowID)"
        case 17:
            guard let gone = held.first(where: { $0.isDeleted && $0.store === store }) else {
                return "nothing"
            }
            store.insert(gone)
            return "insert \(gone.rowID) anew"
        case 18: return try swap()
        default:
            guard let link = try any(Bead.self) else { return "nothing" }
            held.append(link)
            return "hold"
        }
    }

    private func insert() -> String {
        let new: StoredObject =
            switch random.next(upTo: 7) {
            case 0: Part()
            case 1: Badged()
            case 2: Handmade()
            case 3: SpecialBead()
            default: Bead()
            }
        store.insert(new)
        if random.next(upTo: 2) == 0 { held.append(new) }
        return "insert \(type(of: new)) \(new.rowID)"
    }

    /// Values alone: what makes a save pass the owner by.
    private func setNumbers() throws -> String {
        let all = try allBeads()
        for link in all where random.next(upTo: 2) == 0 { link.number += random.next(upTo: 3) }
        for part in try store.objects(of: Part.self) { part.number += 1 }
        for badged in try store.objects(of: Badged.self) { badged.number += 1 }
        return "numbers"
    }

    private func editLists() throws -> String {
        guard let link = try any(Bead.self), let one = try any(Bead.self) else { return "nothing" }
        switch random.next(upTo: 7) {
        case 0: change(&link.others, one)
        case 1: change(&link.fans, one)
        case 2: change(&link.idols, one)
        case 3: change(&link.children, one)
        case 4:
            let part = try any(Part.self) ?? Part()
            change(&link.parts, part)
        case 5: link.idols = try allBeads().filter { _ in random.next(upTo: 2) == 0 }
        default:
            // Read in the same list, and put back as it was.
            let former = link.others
            link.others.append(one)
            link.others = former
        }
        return "lists of \(link.rowID)"
    }

    private func editSingles() throws -> String {
        guard let link = try any(Bead.self) else { return "nothing" }
        let other = random.next(upTo: 4) == 0 ? nil : try any(Bead.self)
        switch random.next(upTo: 4) {
        case 0: link.next = other
        case 1: link.favorite = other
        case 2: link.parent = other
        default:
            func set(_ one: inout Bead?) { one = other }
            set(&link.next)
        }
        return "a link of \(link.rowID)"
    }

    private func editOwners() throws -> String {
        let link = random.next(upTo: 4) == 0 ? nil : try any(Bead.self)
        if let badged = try any(Badged.self) {
            if random.next(upTo: 2) == 0 {
                badged.badge = Badge(link: link)
            } else {
                badged.link = link
            }
        }
        try any(Part.self)?.maker = link
        if let link, let handmade = try any(Handmade.self) { change(&handmade.links, link) }
        return "owners"
    }

    private func swap() throws -> String {
        guard let one = try any(Bead.self), let other = try any(Bead.self) else { return "nothing" }
        (one.others, other.others) = (other.others, one.others)
        (one.children, other.children) = (other.children, one.children)
        return "swap \(one.rowID) and \(other.rowID)"
    }

    private func delete() throws -> String {
        let doomed: StoredObject? =
            switch random.next(upTo: 8) {
            case 0: try any(Part.self)
            case 1: try any(Badged.self)
            case 2: try any(Handmade.self)
            default: try any(Bead.self)
            }
        guard let doomed else { return "nothing" }
        try store.delete(doomed)
        return "delete \(type(of: doomed)) \(doomed.rowID)"
    }

    private func change<Element>(_ list: inout [Element], _ one: Element) {
        let count = list.count
        switch random.next(upTo: 10) {
        case 0...3: list.append(one)
        case 4: list.insert(one, at: random.next(upTo: count + 1))
        case 5 where count > 0: list.remove(at: random.next(upTo: count))
        case 6 where count > 0: list[random.next(upTo: count)] = one
        case 7: list.removeAll { _ in random.next(upTo: 3) == 0 }
        case 8: list = [one] + list.filter { _ in random.next(upTo: 2) == 0 }
        default: list.shuffle(using: &random)
        }
    }

    /// Any object of the class, or of a subclass.
    func any<Object: StoredObject>(_ type: Object.Type) throws -> Object? {
        var all = try store.objects(of: type)
        if type == Bead.self {
            all += try store.objects(of: SpecialBead.self).compactMap { $0 as? Object }
        }
        return all.sorted {
            ("\(Swift.type(of: $0))", $0.rowID) < ("\(Swift.type(of: $1))", $1.rowID)
        }
        .randomElement(using: &random)
    }
}
