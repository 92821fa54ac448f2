import CabinetBackend
import Observation

/// The objects of one value of a live list in sections.
public struct LiveSection<Key, Object: StoredObject> {
    /// The value that all of them have.
    public let key: Key
    /// The objects, in the order of the query.
    public let objects: LiveList<Object>
    /// Where they stand in the whole list.
    let range: Range<Int>
}

/// The objects that a query gives in sections of one value each, kept up to date: a section that has
/// become empty goes, and comes back with its first object.
///
/// ```swift
/// let live = try store.query(Song.self).sorted(by: \.title).live(sections: \.artist)
/// for try await change in live.changes { table.apply(change) }
/// ```
///
/// Otherwise as ``LiveObjects``; with each change, the sections are counted. Not `Sendable`: its
/// store's.
public final class LiveSections<Key, Object: StoredObject>: Observable {
    private let rows: QueriedRows<Object>
    private let compare: (Key, Key) -> Int
    private let registrar = ObservationRegistrar()

    init(_ rows: QueriedRows<Object>, compare: @escaping (Key, Key) -> Int) {
        (self.rows, self.compare) = (rows, compare)
        rows.tell = { [unowned self] in registrar.withMutation(of: self, keyPath: \.sections) {} }
    }

    deinit { rows.tell = nil }

    /// All objects, section by section.
    public var objects: LiveList<Object> {
        registrar.access(self, keyPath: \.sections)
        rows.bringUpToDate()
        return rows.list
    }

    /// The sections, in ascending order of their values.
    public var sections: [LiveSection<Key, Object>] {
        registrar.access(self, keyPath: \.sections)
        rows.bringUpToDate()
        return Self.sections(of: rows)
    }

    /// As ``LiveObjects/failure``.
    public var failure: (any Error)? {
        rows.bringUpToDate()
        return rows.failure
    }

    /// The changes, for any number of readers.
    public var changes: LiveSectionChanges<Key, Object> {
        LiveSectionChanges(rows: rows, compare: compare)
    }

    /// The sections of the list as it is, each found by halving.
    static func sections(of rows: QueriedRows<Object>) -> [LiveSection<Key, Object>] {
        guard let first = rows.keys.columns.first else { return [] }
        // The rows were made with such a column.
        let column = unsafeDowncast(first, to: ComparedColumn<Key>.self)
        let (keys, version) = (rows.keys, rows.version)
        var found: [LiveSection<Key, Object>] = []
        var start = version.window.lowerBound
        while start < version.window.upperBound {
            guard let slot = keys.slots[version.rows[start]] else { break }
            let end = version.rows.partition {
                keys.slots[$0].map { column.order($0, slot) <= 0 } ?? false
            }
            var part = version
            part.window = start..<min(end, version.window.upperBound)
            let offset = version.window.lowerBound
            found.append(
                LiveSection(
                    key: column.values[slot], objects: LiveList(store: rows.store, version: part),
                    range: part.window.lowerBound - offset..<part.window.upperBound - offset))
            start = part.window.upperBound
        }
        return found
    }
}

extension StoreQuery {
    /// The objects in sections of one value each, kept up to date: in ascending order of the values, within
    /// a section in the order of the query.
    /// - Throws: what ``objects()`` does.
    public func live<Key: Comparable & SendableMetatype>(
        sections key: KeyPath<Object, Key> & Sendable,
        includingPending includesPending: Bool = false
    ) throws -> LiveSections<Key, Object> {
        try live(.ascending(key), key, includesPending) { totalOrder($0, $1) }
    }

    /// As for a property that always has a value; the section without one comes first.
    /// - Throws: what ``objects()`` does.
    public func live<Key: Comparable & SendableMetatype>(
        sections key: KeyPath<Object, Key?> & Sendable,
        includingPending includesPending: Bool = false
    ) throws -> LiveSections<Key?, Object> {
        try live(.ascending(key), key, includesPending) { totalOrder($0, $1) }
    }

    private func live<Key>(
        _ order: ObjectOrder<Object>, _ key: KeyPath<Object, Key>, _ includesPending: Bool,
        compare: @escaping (Key, Key) -> Int
    ) throws -> LiveSections<Key, Object> {
        var query = query
        query.sortedBy.insert(order, at: 0)
        let rows = try QueriedRows(store, query, includesPending: includesPending) {
            ComparedColumn<Key>(
                { ValueSource(key, $0).read }, isDescending: false, compare: compare)
        }
        return LiveSections(rows, compare: compare)
    }
}
