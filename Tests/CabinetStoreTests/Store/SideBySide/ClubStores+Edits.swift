import CabinetBackend

@testable import Cabinet
@testable import CabinetTestModel

/// What the stores do between their saves. They touch no more than they change.
extension ClubStores {
    enum Subject: CaseIterable { case members, guests, leader, children, friends, partner }

    mutating func person(_ store: Store) throws -> Person? {
        try store.objects(of: Person.self).randomElement(using: &random)
    }

    private mutating func club(_ store: Store) throws -> Club? {
        try store.objects(of: Club.self).randomElement(using: &random)
    }

    mutating func edit(_ editor: Editor) throws {
        let store = editor.store
        guard var person = try person(store), var club = try club(store),
            let other = try self.person(store)
        else {
            store.insert(Club())
            return store.insert(Person())
        }
        if let lastRows, random.once(in: 2) {
            person = try store.object(Person.self, rowID: lastRows.person) ?? person
            club = try store.object(Club.self, rowID: lastRows.club) ?? club
        }
        lastRows = (person.rowID, club.rowID)
        switch random.below(20) {
        case 0..<12: edit(subject, person, club, other, editor)
        case 12, 13:
            let subject = Subject.allCases[random.below(Subject.allCases.count)]
            edit(subject, person, club, other, editor)
        case 14, 15: person.age += 1
        case 16, 17: club.year += 1
        case 18:
            let new = Person()
            club.guests.append(new)
        default:
            guard random.once(in: 3) else { return }
            forgetClaims(of: editor)
            if random.once(in: 2) { try store.delete(person) } else { try store.delete(club) }
        }
    }

    /// Edits one side of a relationship.
    private mutating func edit(
        _ subject: Subject, _ person: Person, _ club: Club, _ other: Person, _ editor: Editor
    ) {
        let isFirstSide = random.once(in: 2)
        switch subject {
        case .members:
            if isFirstSide {
                assign(random.once(in: 3) ? nil : club, to: person, editor)
            } else {
                change(club, with: person, editor)
            }
        case .guests:
            if isFirstSide {
                change(&person.visits, with: club)
            } else {
                change(&club.guests, with: person)
            }
        case .leader:
            if isFirstSide {
                person.leads = random.once(in: 3) ? nil : club
            } else {
                club.leader = random.once(in: 3) ? nil : person
            }
        case .children:
            if isFirstSide {
                person.parent = random.once(in: 3) ? nil : other
            } else {
                change(&person.children, with: other)
            }
        case .friends: change(&person.friends, with: other)
        case .partner:
            if isFirstSide {
                person.partner = random.once(in: 3) ? nil : other
            } else {
                person.chosenBy = random.once(in: 3) ? nil : other
            }
        }
    }

    /// Puts an object into a list, or takes it out, or replaces the list.
    private mutating func change<Object: StoredObject>(
        _ list: inout [Object], with object: Object
    ) {
        switch random.below(6) {
        case 0: list = []
        case 1: list = [object]
        case 2: if !list.isEmpty { list.removeFirst() }
        default:
            if let place = list.firstIndex(where: { $0 === object }) {
                list.remove(at: place)
            } else {
                list.insert(object, at: random.below(list.count + 1))
            }
        }
    }

    // MARK: Members

    private func assign(_ club: Club?, to person: Person, _ editor: Editor) {
        let former = person.club
        person.club = club
        if former === club { return }
        if let club {
            note(person, in: club, isMember: true, editor)
        } else if let former {
            note(person, in: former, isMember: false, editor)
        }
    }

    private mutating func change(_ club: Club, with person: Person, _ editor: Editor) {
        let before = club.members
        change(&club.members, with: person)
        let after = club.members
        for one in before where !after.contains(where: { $0 === one }) {
            note(one, in: club, isMember: false, editor)
        }
        for one in after where !before.contains(where: { $0 === one }) {
            note(one, in: club, isMember: true, editor)
        }
    }

    private func note(_ person: Person, in club: Club, isMember: Bool, _ editor: Editor) {
        let edits = editor.hasMovedSteps ? 100 : editor.claims[person.rowID]?.edits ?? 0
        editor.claims[person.rowID] = Claim(
            club: club.rowID, isMember: isMember, edits: edits + 1)
    }
}
