/// What a step has made of one list: the parts of it that were replaced.
///
/// Objects are kept by their rows, so that no step keeps them in memory. Mostly one object came or
/// went, which takes no block of memory beside the entry. Not copied by accident: a step moves it
/// into its entry.
struct ListEdit: ~Copyable {
    /// Some objects of a list, side by side.
    struct Part {
        let start: Int
        let removed: ObjectReferences
        let inserted: ObjectReferences

        /// How much memory it takes, in bytes.
        var size: Int { 64 + (removed.count + inserted.count) * 8 }
    }

    private final class Parts {
        let all: [Part]

        init(_ all: [Part]) { self.all = all }
    }

    private enum Form: UInt8 { case none, underWay, empty, insertion, removal, parts }

    // The store owns its classes and its steps.
    private let owner: Unmanaged<ManyCoder>?
    private let form: Form
    /// Where the one object came or went.
    private let position: Int
    /// What stands for that object.
    private let word: UInt64
    /// That object, if the store has no row for it; else the parts, if there are several.
    private let held: AnyObject?

    @inline(__always)
    private init(
        _ relation: ManyCoder?, _ form: Form, at position: Int = 0, word: UInt64 = 0,
        holding held: AnyObject? = nil
    ) {
        (owner, self.form) = (relation.map { .passUnretained($0) }, form)
        (self.position, self.word, self.held) = (position, word, held)
    }

    init(copying other: borrowing ListEdit) {
        (owner, form) = (other.owner, other.form)
        (position, word, held) = (other.position, other.word, other.held)
    }

    static var none: ListEdit { ListEdit(nil, .none) }

    var relation: ManyCoder? { owner?.takeUnretainedValue() }

    /// An edit that goes on: what it makes of the list is known when it is reconciled.
    static func underWay(_ relation: ManyCoder) -> ListEdit { ListEdit(relation, .underWay) }

    /// An edit after which the list is the same.
    static func nothing(_ relation: ManyCoder) -> ListEdit { ListEdit(relation, .empty) }

    init(_ change: ListChange, of relation: ManyCoder, in context: ObjectContext) {
        if let (object, position) = change.onlyAddition {
            self = .insertion(of: object, at: position, relation, in: context)
            return
        }
        let parts = change.parts
        if parts.isEmpty {
            self = .nothing(relation)
        } else if parts.count == 1, parts[0].inserted.isEmpty, parts[0].removed.count == 1 {
            let object = parts[0].removed[parts[0].removed.startIndex]
            self = .removal(of: object, at: parts[0].start, relation, in: context)
        } else {
            let all = parts.map { part in
                Part(
                    start: part.start, removed: ObjectReferences(part.removed, in: context),
                    inserted: ObjectReferences(part.inserted, in: context))
            }
            self.init(relation, .parts, holding: Parts(all))
        }
    }

    /// An edit that has replaced these parts.
    init(_ parts: [Part], of relation: ManyCoder) {
        self.init(relation, .parts, holding: Parts(parts))
    }

    static func insertion(
        of object: StoredObject, at position: Int, _ relation: ManyCoder, in context: ObjectContext
    ) -> ListEdit {
        single(.insertion, object, at: position, relation, context)
    }

    static func removal(
        of object: StoredObject, at position: Int, _ relation: ManyCoder, in context: ObjectContext
    ) -> ListEdit {
        single(.removal, object, at: position, relation, context)
    }

    private static func single(
        _ form: Form, _ object: StoredObject, at position: Int, _ relation: ManyCoder,
        _ context: ObjectContext
    ) -> ListEdit {
        let word = ObjectReferences.word(of: object, in: context)
        if word != ObjectReferences.outsider {
            return ListEdit(relation, form, at: position, word: word)
        }
        return ListEdit(relation, form, at: position, word: word, holding: object)
    }

    var isThere: Bool { form != .none }

    /// Whether the list is the same afterwards, as far as is known.
    var isEmpty: Bool { form == .empty || form == .underWay || form == .none }

    var isNothing: Bool { form == .empty }

    /// How much memory it takes beside the entry of the step, in bytes.
    var size: Int {
        guard form == .parts, let held else { return 0 }
        return unsafeDowncast(held, to: Parts.self).all.reduce(32) { $0 + $1.size }
    }

    /// Where the only object came or went; `nil` if there are several.
    var only: (position: Int, isInsertion: Bool)? {
        form == .insertion || form == .removal ? (position, form == .insertion) : nil
    }

    /// The only object that came or went. `nil` if its class is not registered.
    func object(in context: ObjectContext) -> StoredObject? {
        if word != ObjectReferences.outsider { return ObjectReferences.object(word, in: context) }
        return held.map { unsafeDowncast($0, to: StoredObject.self) }
    }

    /// What was replaced, in that order.
    var parts: [Part] {
        if form == .parts, let held { return unsafeDowncast(held, to: Parts.self).all }
        guard let only else { return [] }
        let none = ObjectReferences(words: [], outsiders: [])
        let one = ObjectReferences(
            words: [word], outsiders: held.map { [unsafeDowncast($0, to: StoredObject.self)] } ?? []
        )
        return [
            Part(
                start: position, removed: only.isInsertion ? none : one,
                inserted: only.isInsertion ? one : none)
        ]
    }
}
