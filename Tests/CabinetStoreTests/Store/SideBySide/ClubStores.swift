import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Two or three stores that edit both sides of relationships, catch up amid their edits, and save by all
/// policies, in an order that a seed gives.
///
/// After each save both sides of all relationships agree, and of the membership of a person that a
/// store has edited once, a merge keeps what it did.
struct ClubStores {
    typealias Person = Clubs.Person
    typealias Club = Clubs.Club

    /// Where a store's edits since its last save have put a person.
    struct Claim {
        /// The club that the person came to, or went from.
        var club: RowID
        var isMember: Bool
        var edits: Int
    }

    final class Editor {
        let store: Store
        var claims: [RowID: Claim] = [:]
        /// Whether it has moved steps since its last save: an edit may then repeat what is saved.
        var hasMovedSteps = false
        init(_ store: Store) { self.store = store }

        /// Nothing is pending.
        func forget() { (claims, hasMovedSteps) = ([:], false) }
    }

    let seed: UInt64
    var random: SeededRandom
    /// The relationship that most edits are of, as few steps are to meet in one place.
    let subject: Subject
    let editors: [Editor]
    /// The person and the club of the last edit, of whatever store: half of the edits are of these.
    var lastRows: (person: RowID, club: RowID)?
    /// Only reads.
    private let reader: Store
    private var step = 0
    private(set) var merges = 0
    private(set) var keptClaims = 0
    /// Steps that were taken back or made again, and those that were refused.
    private(set) var undos = 0
    private(set) var refusals = 0
    private var place: Comment { "seed \(seed), step \(step)" }

    init(_ backend: any Backend, seed: UInt64, recording: Bool) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        subject = Subject.allCases[random.below(Subject.allCases.count)]
        let stores = try (0..<(random.once(in: 3) ? 3 : 2)).map { _ in
            try Store(backend: backend, classes: Clubs.classes)
        }
        for _ in 0..<2 { stores[0].insert(Club()) }
        for _ in 0..<3 { stores[0].insert(Person()) }
        try stores[0].save()
        for store in stores {
            try store.refresh()
            store.undoHistory.isEnabled = recording
        }
        editors = stores.map { Editor($0) }
        reader = try Store(backend: backend, classes: Clubs.classes)
    }

    mutating func run(_ steps: Int) async throws {
        for _ in 0..<steps {
            step += 1
            let editor = editors[random.below(editors.count)]
            switch random.below(32) {
            case 0..<5 where editor.store.undoHistory.isEnabled: try takeStep(editor)
            case 0..<18: try edit(editor)
            case 18..<23: try editor.store.refresh()
            case 23: try dropSome(editor)
            case 24: try await saveInBackground(editor)
            default: try save(editor)
            }
        }
        for editor in editors { try save(editor) }
    }

    private mutating func dropSome(_ editor: Editor) throws {
        let store = editor.store
        switch random.below(4) {
        case 0:
            store.rollback()
            editor.forget()
        case 1:
            guard let person = try person(store) else { return }
            try store.rollback(person)
            forgetClaims(of: editor)
        default:
            guard store.undoHistory.isEnabled else { return }
            try takeStep(editor)
        }
    }

    /// Takes a step back, or makes one again.
    private mutating func takeStep(_ editor: Editor) throws {
        let history = editor.store.undoHistory
        let isUndo = !history.canRedo || random.once(in: 2)
        forgetClaims(of: editor)
        editor.hasMovedSteps = true
        do {
            guard try isUndo ? history.undo() : history.redo() else { return }
            undos += 1
        } catch StoreError.changedSince {
            refusals += 1
            history.removeAll()
        }
    }

    /// What becomes of the persons is not known any more.
    func forgetClaims(of editor: Editor) {
        for row in editor.claims.keys { editor.claims[row]?.edits += 100 }
    }

    // MARK: Saving

    private mutating func policy() -> ConflictPolicy {
        switch random.below(8) {
        case 0: return .throw
        case 1: return .mine
        case 2: return .theirs
        case 3:
            var choices = SeededRandom(seed: random.next())
            return .resolve { conflict in
                switch choices.below(4) {
                case 0: return .mine
                case 1: return .theirs
                case 2 where conflict.kind == .changed:
                    let sides: [ConflictResolution.Side] = [.mine, .theirs]
                    return .fields(
                        ["club": sides[choices.below(2)], "members": sides[choices.below(2)]])
                default: return conflict.kind == .changed ? .merge : .mine
                }
            }
        default: return .merge
        }
    }

    private mutating func save(_ editor: Editor) throws {
        let policy = policy()
        do { try editor.store.save(onConflict: policy) } catch StoreError.conflict {
            return refused(editor)
        }
        if policy.isMerge { try expectClaims(of: editor) }
        try expectAgreement(editor)
    }

    private mutating func saveInBackground(_ editor: Editor) async throws {
        do { try await editor.store.saveInBackground() } catch StoreError.conflict {
            return refused(editor)
        }
        try expectAgreement(editor)
    }

    private mutating func refused(_ editor: Editor) {
        if random.once(in: 2) { return }
        editor.store.rollback()
        editor.forget()
    }

    private mutating func expectAgreement(_ editor: Editor) throws {
        merges += 1
        editor.forget()
        try reader.refresh()
        #expect(try Clubs.oneSided(in: reader) == [], place)
        // Reading all might hide what comes of not reading.
        if random.once(in: 2) { #expect(try Clubs.oneSided(in: editor.store) == [], place) }
    }

    private mutating func expectClaims(of editor: Editor) throws {
        let clubs = Dictionary(
            uniqueKeysWithValues: try editor.store.objects(of: Club.self).map { ($0.rowID, $0) })
        for person in try editor.store.objects(of: Person.self) {
            guard let claim = editor.claims[person.rowID], claim.edits == 1,
                let club = clubs[claim.club]
            else { continue }
            #expect((person.club === club) == claim.isMember, "\(place), person \(person.rowID)")
            keptClaims += 1
        }
    }
}
