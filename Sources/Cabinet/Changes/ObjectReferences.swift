import CabinetBackend

/// References to objects that a step keeps: by class and row, and only objects that have no row in
/// the store as they are.
struct ObjectReferences {
    static var none: ObjectReferences { ObjectReferences(words: [], outsiders: []) }

    /// The first one's class number and row, as all of ``more`` have it; nothing if there is none.
    private let first: UInt64
    private let more: [UInt64]
    private let outsiders: [StoredObject]
    let count: Int

    /// In place of a row: the object is the next of the outsiders.
    private static let outsider = UInt64.max

    private init(words: [UInt64], outsiders: [StoredObject]) {
        first = words.first ?? 0
        more = words.count > 1 ? Array(words.dropFirst()) : []
        count = words.count
        self.outsiders = outsiders
    }

    init(_ object: StoredObject, in context: ObjectContext) {
        first = Self.word(of: object, in: context)
        more = []
        outsiders = first == Self.outsider ? [object] : []
        count = 1
    }

    init(_ objects: ArraySlice<StoredObject>, in context: ObjectContext) {
        if objects.count == 1, let object = objects.first {
            self.init(object, in: context)
        } else {
            let words = objects.map { Self.word(of: $0, in: context) }
            let outsiders = zip(words, objects).filter { $0.0 == Self.outsider }.map(\.1)
            self.init(words: words, outsiders: outsiders)
        }
    }

    private static func word(of object: StoredObject, in context: ObjectContext) -> UInt64 {
        guard let home = object.home, home.context === context else { return outsider }
        return UInt64(home.number) << 32 | UInt64(object.rowID)
    }

    /// The object, if there is just one reference.
    func single(in context: ObjectContext) -> StoredObject? {
        guard count == 1 else { return nil }
        return first == Self.outsider ? outsiders[0] : Self.object(first, in: context)
    }

    /// The objects in their order.
    func objects(in context: ObjectContext) -> [StoredObject] {
        guard count > 0 else { return [] }
        var objects: [StoredObject] = []
        objects.reserveCapacity(count)
        var nextOutsider = 0
        func add(_ word: UInt64) {
            if word == Self.outsider {
                objects.append(outsiders[nextOutsider])
                nextOutsider += 1
            } else if let object = Self.object(word, in: context) {
                objects.append(object)
            }
        }
        add(first)
        for word in more { add(word) }
        return objects
    }

    /// The object in memory, one that is known to be gone, or a new fault.
    private static func object(_ word: UInt64, in context: ObjectContext) -> StoredObject? {
        guard let home = context.classesByNumber[Int(word >> 32)] else { return nil }
        let row = RowID(truncatingIfNeeded: word)
        if let object = home.existing(row) { return object }
        return home.isGone(row) ? home.makeDeletedObject(at: row) : home.makeObject(at: row)
    }
}
