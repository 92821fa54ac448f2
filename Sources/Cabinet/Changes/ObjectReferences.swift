import CabinetBackend

/// References to objects that a step keeps: by class and row, or the object if it has no row.
struct ObjectReferences {
    /// The first one's class number and row, as all of ``more`` have it; nothing if there is none.
    private let first: UInt64
    private let more: [UInt64]
    private let outsiders: [StoredObject]
    let count: Int

    /// In place of a row: the object is the next of the outsiders.
    static let outsider = UInt64.max

    init(words: [UInt64], outsiders: [StoredObject]) {
        first = words.first ?? 0
        more = words.count > 1 ? Array(words.dropFirst()) : []
        count = words.count
        self.outsiders = outsiders
    }

    init(_ objects: ArraySlice<StoredObject>, in context: ObjectContext) {
        let words = objects.map { Self.word(of: $0, in: context) }
        let outsiders = zip(words, objects).filter { $0.0 == Self.outsider }.map(\.1)
        self.init(words: words, outsiders: outsiders)
    }

    /// What stands for each object, in their order.
    var words: [UInt64] { count == 0 ? [] : [first] + more }

    /// Whether what stands for one of the objects is in `words`.
    func hasWord(in words: Set<UInt64>) -> Bool {
        count > 0 && (words.contains(first) || more.contains(where: words.contains))
    }

    /// Whether `condition` is true of what stands for one of the objects.
    func containsWord(where condition: (UInt64) -> Bool) -> Bool {
        count > 0 && (condition(first) || more.contains(where: condition))
    }

    static func word(of object: StoredObject, in context: ObjectContext) -> UInt64 {
        guard let storedClass = object.classReference else { return outsider }
        return storedClass._withUnsafeGuaranteedRef { storedClass in
            guard storedClass.withContext({ $0 === context }) else { return outsider }
            return UInt64(storedClass.number) << 32 | UInt64(object.rowID.rawValue)
        }
    }

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
    static func object(_ word: UInt64, in context: ObjectContext) -> StoredObject? {
        guard let storedClass = context.classesByNumber[Int(word >> 32)] else { return nil }
        let row = RowID(UInt32(truncatingIfNeeded: word))
        if let object = storedClass.existing(row) { return object }
        let isGone =
            storedClass.isGone(row)
            || storedClass.loose.isTarget && !context.hasRecord(row, of: storedClass)
        return isGone ? storedClass.makeDeletedObject(at: row) : storedClass.makeObject(at: row)
    }
}
