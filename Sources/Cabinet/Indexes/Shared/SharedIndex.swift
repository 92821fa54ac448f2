import CabinetBackend

/// One index over objects of several classes, by keys that closures compute: songs and films in one
/// order of titles, for example.
///
/// ```swift
/// struct MediaKey: OrderedKeyValue {                  // its columns: see OrderedKeyValue
///     var title: String
///     var year: Int
///     …
/// }
/// let media = SharedIndex<MediaKey>(named: "media")
///     .including(Song.self) { MediaKey(title: $0.title, year: $0.year) }
///     .including(Film.self, where: { $0.isReleased }) { MediaKey(title: $0.name, year: $0.year) }
/// try store.indexes.register(media)
/// try store.indexes.forEachKey(of: media) { key in … }
/// ```
///
/// Each class keeps its own part of the index, as one that is declared; the calls that go over the
/// index merge them. `Sendable`: a value. Closures see one object each, perhaps a copy outside any
/// store, and must look at its own fields only.
public struct SharedIndex<Key: OrderedKeyValue & SendableMetatype>: Sendable {
    /// Its name, and that of each class's part.
    public let name: String
    /// Counts changes of what closures make of an object; an index of another version is made anew.
    public let version: Int
    private(set) var parts: [(type: StoredObject.Type, index: Index)] = []

    /// An index of no class yet.
    /// - Parameters:
    ///   - name: ASCII letters, digits, `_` and `.`.
    ///   - version: see ``version``.
    public init(named name: String, version: Int = 1) {
        (self.name, self.version) = (name, version)
    }

    /// The same index, with objects of `type`, but not of its subclasses.
    /// - Parameters:
    ///   - type: the class.
    ///   - isIncluded: which objects; `nil` for all.
    ///   - makeKey: makes the key of an object.
    public func including<Owner: StoredObject>(
        _ type: Owner.Type, where isIncluded: (@Sendable (Owner) -> Bool)? = nil,
        _ makeKey: @escaping @Sendable (Owner) -> Key
    ) -> SharedIndex {
        var index = self
        index.parts.append(
            (type, .computed(named: name, version: version, where: isIncluded, makeKey)))
        return index
    }
}

extension StoreIndexes {
    /// Adds a shared index, as ``register(_:of:)-(Index,_)`` adds one of a class. All of its classes must be among
    /// the store's.
    /// - Throws: as ``register(_:of:)-(Index,_)``; parts of some classes may be registered then.
    public func register<Key>(_ index: SharedIndex<Key>) throws {
        for part in index.parts { try register(part.index, of: part.type) }
    }

    /// Removes a shared index, as ``unregister(named:of:)`` removes one of a class.
    public func unregister<Key>(_ index: SharedIndex<Key>) throws {
        for part in index.parts { try unregister(named: index.name, of: part.type) }
    }

    /// Calls `body` with the key of each object in a shared index, in their order, until it returns
    /// `false`. Pending changes count.
    ///
    /// Cost: the part of the index that is gone over, and the objects with pending changes. While a
    /// class's part is not complete, the keys of all its objects are made and sorted.
    /// - Parameters:
    ///   - index: the index.
    ///   - range: of keys, as ``OrderedKey`` makes them.
    ///   - isDescending: whether to go over them against their order.
    ///   - body: gets each key in turn.
    /// - Throws: ``StoreError/badIndex(class:index:reason:)`` if it was not registered;
    ///   ``OrderedKeyError/cut`` for a key of more than 1,019 bytes; what `body` throws.
    public func forEachKey<Key>(
        of index: SharedIndex<Key>, in range: KeyRange = .everything,
        descending isDescending: Bool = false,
        _ body: (Key) throws -> Bool
    ) throws {
        try store.forEachEntry(of: index, range, isDescending) { entry in
            try body(entry.read(Key.self))
        }
    }

    /// Calls `body` with each object in a shared index and its key, in their order, until it returns
    /// `false`. As ``forEachKey(of:in:descending:_:)``; objects are read one by one.
    public func forEachObject<Key>(
        of index: SharedIndex<Key>, in range: KeyRange = .everything,
        descending isDescending: Bool = false,
        _ body: (StoredObject, Key) throws -> Bool
    ) throws {
        try store.forEachEntry(of: index, range, isDescending) { entry in
            let key = try entry.read(Key.self)
            guard let row = entry.key.withUnsafeBytes({ OrderedKey.row(of: $0) }) else {
                return true
            }
            let object = entry.storedClass.object(at: row)
            try store.load(object)
            return try body(object, key)
        }
    }
}

extension Store {
    fileprivate func forEachEntry<Key>(
        of index: SharedIndex<Key>, _ range: KeyRange, _ isDescending: Bool,
        _ body: (SharedEntries.Entry) throws -> Bool
    ) throws {
        try checkOpen()
        reconcileEdits()
        enumerations += 1
        defer { enumerations -= 1 }
        var sources: [SharedEntries] = []
        for part in index.parts {
            let storedClass = try registered(part.type)
            guard let found = try indexKeeper?.indexes(of: storedClass)?[index.name] else {
                throw StoreError.badIndex(
                    class: storedClass.name, index: index.name, reason: "it is not registered")
            }
            found.uses += 1
            sources.append(try SharedEntries(found, range, isDescending, self))
        }
        while let next = sources.indices.min(by: { one, other in
            guard let left = sources[one].next else { return false }
            guard let right = sources[other].next else { return true }
            return isDescending
                ? right.key.lexicographicallyPrecedes(left.key)
                : left.key.lexicographicallyPrecedes(right.key)
        }), let entry = sources[next].next {
            guard try body(entry) else { return }
            try sources[next].advance()
        }
    }
}
