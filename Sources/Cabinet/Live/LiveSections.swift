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
    private let source: SectionSource<Key, Object>
    private let registrar = ObservationRegistrar()

    init(_ source: SectionSource<Key, Object>) {
        self.source = source
        source.rows.tell = { [weak self] in
            guard let self else { return }
            registrar.withMutation(of: self, keyPath: \.sections) {}
        }
    }

    deinit { source.rows.tell = nil }

    /// All objects, section by section.
    public var objects: LiveList<Object> {
        registrar.access(self, keyPath: \.sections)
        source.rows.bringUpToDate()
        return source.rows.list
    }

    /// The sections, in the order of their values.
    public var sections: [LiveSection<Key, Object>] {
        registrar.access(self, keyPath: \.sections)
        source.rows.bringUpToDate()
        return source.sections(source.find())
    }

    /// As ``LiveObjects/failure``.
    public var failure: (any Error)? {
        registrar.access(self, keyPath: \.sections)
        source.rows.bringUpToDate()
        return source.rows.failure
    }

    /// As ``LiveObjects/renew()``.
    /// - Throws: as that does.
    public func renew() throws { try source.rows.renew() }

    /// The changes, for any number of readers.
    public var changes: LiveSectionChanges<Key, Object> { LiveSectionChanges(source: source) }

    /// As ``LiveObjects/position()``.
    /// - Throws: as that does.
    public func position() throws -> ChangePosition { try source.rows.position() }

    /// As ``LiveObjects/resume(after:)``.
    public func resume(after position: ChangePosition) -> LiveSectionChanges<Key, Object> {
        LiveSectionChanges(source: source, start: position)
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
        return LiveSections(SectionSource(rows, compare))
    }
}
