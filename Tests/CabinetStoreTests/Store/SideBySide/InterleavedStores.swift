import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Three stores over one backend that change one graph, take steps back, save, merge and catch up in
/// an order that a seed gives, against a model: the graph as plain values, and what each store has
/// changed of it.
struct InterleavedStores {
    /// A store with what its pending changes are based on.
    final class Writer {
        let store: Store
        let name: String
        var base = GraphView()
        /// When the step of a name was made, or taken back, last.
        var times: [String: Int] = [:]
        /// What others have changed, and when the store has taken it up.
        var foreign: [(time: Int, part: GraphView.Part)] = []

        init(_ store: Store, _ name: String) { (self.store, self.name) = (store, name) }
    }

    let backend: any Backend
    let seed: UInt64
    var random: SeededRandom
    var writers: [Writer] = []
    /// What is saved, but for the orders of lists.
    var saved = GraphView()
    var held: [(store: Store, view: GraphView)] = []
    var counter = 0
    var conflicts = 0
    var merges = 0
    var undos = 0
    /// Steps that were refused, as others have changed the same since.
    var refusals = 0

    /// - Parameters:
    ///   - recording: whether the stores record steps, and take some of them back.
    ///   - others: backends of the same store as other processes have them, for the second writer and the third.
    init(
        _ backend: any Backend, seed: UInt64, recording: Bool, others: [any Backend] = []
    ) throws {
        (self.backend, self.seed) = (backend, seed)
        random = SeededRandom(seed: seed)
        let backends = [backend] + others
        for (index, name) in ["one", "two", "three"].enumerated() {
            let store = try Store(
                backend: backends[index % backends.count], classes: volumeClasses)
            store.undoHistory.isEnabled = recording
            writers.append(Writer(store, name))
        }
    }

    var doing = ""
    var place: Comment { "seed \(seed), step \(counter), \(doing)" }

    mutating func step() throws {
        counter += 1
        let writer = writers[Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<14: try change(writer)
        case 14..<17: try save(writer)
        case 17: try advance(writer)
        case 18: hold()
        default: try letGo()
        }
    }

    private mutating func change(_ writer: Writer) throws {
        guard writer.store.undoHistory.isEnabled else {
            return try edit(writer.store, writer.name)
        }
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: try takeBack(writer)
        case 2: try makeAgain(writer)
        default:
            let name = "\(counter)"
            try writer.store.undoHistory.group(name) { try edit(writer.store, writer.name) }
            writer.times[name] = counter
        }
    }

    // MARK: Stores

    private mutating func save(_ writer: Writer) throws {
        let store = writer.store
        doing = "before the save of \(writer.name)"
        let mine = try GraphView(of: store, place)
        let last = try backend.refresh()
        let basis = store.basis
        let isBehind = basis != last
        do {
            try store.save(onConflict: .merge)
        } catch StoreError.conflict {
            conflicts += 1
            doing = "after the conflict of \(writer.name)"
            // What one has deleted and another one changed cannot be merged; nothing happened.
            #expect(try backend.refresh() == last, place)
            #expect(try GraphView(of: store, place).difference(from: mine) == [], place)
            store.rollback()
            doing = "after the rollback of \(writer.name)"
            try store.refresh()
            noteForeign(writer)
            writer.base = saved
            return try expectSaved(writer)
        }
        doing = "after the save of \(writer.name), behind: \(isBehind)"
        if isBehind, mine.withoutOrders != writer.base.withoutOrders { merges += 1 }
        // An object that came and went may be all there was to save: others' work is taken up then.
        if try backend.refresh() != last || store.basis != basis {
            noteForeign(writer)
            saved = mine.merged(into: saved, from: writer.base)
            writer.base = saved
            try expectSaved(writer)
        }
    }

    /// The store is taking up what others have saved since its base.
    private func noteForeign(_ writer: Writer) {
        for part in saved.parts(unlike: writer.base) { writer.foreign.append((counter, part)) }
    }

    private mutating func expectSaved(_ writer: Writer) throws {
        let view = try GraphView(of: writer.store, place)
        #expect(view.withoutOrders.difference(from: saved.withoutOrders) == [], place)
        // The model goes on from the orders that the merge has found.
        saved = view
        writer.base = view
    }

    private mutating func advance(_ writer: Writer) throws {
        guard !writer.store.hasChanges else { return }
        doing = "after \(writer.name) has advanced"
        try writer.store.refresh()
        noteForeign(writer)
        writer.base = saved
        try expectSaved(writer)
    }

    private mutating func hold() {
        guard held.count < 4, (try? backend.refresh()) != nil, let reader = try? backend.snapshot(),
            let store = try? Store(
                backend: backend, reader: reader, classes: volumeClasses, migrations: [],
                versioning: .perInstance, log: .none, parts: Store.allParts)
        else { return }
        held.append((store, saved))
    }

    private mutating func letGo() throws {
        guard !held.isEmpty else { return }
        let (store, view) = held.remove(at: Int.random(in: 0..<held.count, using: &random))
        #expect(try GraphView(of: store, place).difference(from: view) == [], place)
        try store.close()
    }

    /// Closes what is held, and no store keeps the backend open.
    mutating func end() {
        for (store, _) in held { try? store.close() }
        held = []
    }
}
