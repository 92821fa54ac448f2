import CabinetBackend

/// The objects of an ``Arrangement``, group by group: what a screen with sections asks for.
///
/// ```swift
/// let byArtist = try store.indexes.arrangement("byArtist", of: Song.self, groupedBy: String.self)
/// for group in try byArtist.groups() {
///     let songs = try byArtist.objects(in: group.key, at: 0..<20)
/// }
/// ```
///
/// Each call answers as of the store's ``Store/basis``, with pending changes laid over: what a fetch of the same
/// objects would give, grouped and sorted.
///
/// Cost: counts and places are look-ups in logarithmic time, whatever the length of the list; over an
/// engine without ``BackendFeatures/ranks`` walks over the keys before them. With pending changes of its
/// classes each call makes the keys of those objects, and reads the records that they replace. While the
/// arrangement is not complete (``StoreIndexes/build(progress:)``) each call makes and sorts the keys
/// of all objects.
///
/// All calls throw ``StoreError/badIndex(class:index:reason:)`` if the arrangement was unregistered,
/// ``StoreError/closed``, why a record cannot be read, or a ``BackendError``. Not `Sendable`: it belongs
/// to the isolation domain of its store.
public struct ArrangedObjects<Key: OrderedKeyValue, Object: StoredObject> {
    let store: Store
    /// The arrangement's name.
    public let name: String
    let types: [StoredObject.Type]
    /// Whether the arrangement is that of one class and its subclasses.
    let includesSubclasses: Bool

    /// The groups that have objects, in ascending order, with their sizes.
    ///
    /// Cost: two look-ups for each group.
    /// - Throws: also ``OrderedKeyError/cut`` for a group whose key has more than 1,019 bytes.
    public func groups() throws -> [ArrangedGroup<Key>] {
        try withKeys { try $0.groups(Key.self) }
    }

    /// How many objects there are in all groups.
    public func count() throws -> Int { try withKeys { try $0.count } }

    /// How many objects a group has; 0 if there is none.
    public func count(in group: Key) throws -> Int {
        try withKeys { try $0.places(of: KeyRange(prefix: $0.prefix(of: group))).count }
    }

    /// The object of a group at an index, with its content; `nil` beyond its end.
    public func object(at index: Int, in group: Key) throws -> Object? {
        guard index >= 0, index < .max else { return nil }
        return try objects(in: group, at: index..<index + 1).first
    }

    /// The first object of a group; `nil` for a group without objects.
    public func first(in group: Key) throws -> Object? { try object(at: 0, in: group) }

    /// The last object of a group; `nil` for a group without objects.
    public func last(in group: Key) throws -> Object? {
        try objects(in: group) { $0.suffix(1) }.first
    }

    /// The objects of a group, in the order of the arrangement, with their content.
    /// - Parameters:
    ///   - group: the group.
    ///   - range: which of them by their indices; what is beyond the group's end gives none. `nil` for all.
    public func objects(in group: Key, at range: Range<Int>? = nil) throws -> [Object] {
        try objects(in: group) { places in
            guard let range else { return places }
            let wanted = range.clamped(to: 0..<places.count)
            return places.dropFirst(wanted.lowerBound).prefix(wanted.count)
        }
    }

    /// Those at the places of the whole list that `choose` makes of those of the group.
    private func objects(
        in group: Key, _ choose: (Range<Int>) -> Range<Int>
    ) throws -> [Object] {
        try withKeys { keys in
            let places = try keys.places(of: KeyRange(prefix: keys.prefix(of: group)))
            return try objects(of: keys.entries(at: choose(places)), keys)
        }
    }

    private func objects(
        of entries: [ArrangedKeys.Entry], _ keys: ArrangedKeys
    ) throws -> [Object] {
        let known = try keys.parts.enumerated().map { part, index in
            let rows = entries.compactMap { $0.part == part ? $0.row : nil }
            return rows.isEmpty ? [:] : try store.read(rows, of: index.storedClass)
        }
        return entries.compactMap { entry in
            // Its class is one of those that were asked for.
            entry.row.flatMap { known[entry.part][$0] }.map { unsafeDowncast($0, to: Object.self) }
        }
    }
}

extension ArrangedObjects {
    /// Where an object stands: its group, and the index in that; `nil` if it is not in the arrangement.
    /// - Throws: also ``StoreError/wrongStore(class:)`` for an object of another store.
    public func index(of object: Object) throws -> (group: Key, index: Int)? {
        guard let storedClass = object.storedClass else { return nil }
        guard storedClass.context === store else {
            throw StoreError.wrongStore(class: storedClass.name)
        }
        return try withKeys { keys in
            guard let part = keys.parts.firstIndex(where: { $0.storedClass === storedClass }),
                !object.state.contains(.deleted), !store.isGoneElsewhere(object, storedClass)
            else { return nil }
            try store.load(object)
            let cursor = RowCursor(store, store.fields(of: storedClass))
            cursor.take(object)
            let made = try IndexKeys().withKey(of: keys.parts[part], cursor) { key in
                key.map { [UInt8]($0.bytes) }
            }
            guard let made else { return nil }
            let (group, prefix) = try keys.group(of: made, Key.self)
            let place = try keys.count(before: made, of: part)
            return (group, place - (try keys.count(before: prefix)))
        }
    }

    /// At which indices of a group the objects stand whose first value in the order lies between two: all
    /// songs of an artist that begin with B, for example.
    ///
    /// As in ``PartRange``: without a lower bound `nil` is left out, without an upper one NaN is not.
    /// - Parameters:
    ///   - group: the group.
    ///   - lower: the first value, of the type of the order's first property; `nil` for no bound.
    ///   - upper: the last value; `nil` for no bound.
    /// - Throws: also ``StoreError/badIndex(class:index:reason:)`` if the order is of another type, and
    ///   ``OrderedKeyError/cut`` if group and bound have more than 1,019 bytes.
    public func range<Value: IndexedValue>(
        in group: Key, from lower: PartBound<Value>? = nil, to upper: PartBound<Value>? = nil
    ) throws -> Range<Int> {
        try withKeys { keys in
            let start = try keys.count(before: keys.prefix(of: group))
            let places = try keys.places(of: keyRange(in: group, from: lower, to: upper, keys))
            return places.lowerBound - start..<places.upperBound - start
        }
    }

    /// Where the keys of such a range lie.
    func keyRange<Value: IndexedValue>(
        in group: Key, from lower: PartBound<Value>?, to upper: PartBound<Value>?,
        _ keys: ArrangedKeys
    ) throws -> KeyRange {
        let range = PartRange(
            of: OrderedKey(bytes: try keys.prefix(of: group)), from: try bound(lower, keys),
            to: try bound(upper, keys), includesNil: false)
        guard range.isExact else { throw OrderedKeyError.cut }
        return range.keys
    }

    private func bound<Value>(
        _ bound: PartBound<Value>?, _ keys: ArrangedKeys
    ) throws -> PartRange.Bound<Value>? {
        guard let bound else { return nil }
        let sources = keys.parts[0].sources
        var builder = OrderedKeyBuilder()
        guard sources.count > 1, sources[1].column.append(bound.value, &builder) else {
            throw StoreError.badIndex(
                class: keys.parts[0].storedClass.name, index: name,
                reason: "its order does not begin with \(Value.self)")
        }
        return (bound, { _ = sources[1].column.append(bound.value, &$0) })
    }
}
