import CabinetBackend

/// How much of a class a query has looked at.
struct ScanCounts {
    /// Objects that the condition was asked of.
    var examined = 0
    /// Objects that met it.
    var matched = 0
    /// Records of which an object was made.
    var objectsRead = 0
}

/// The first step of a query: gives the objects of one class that meet a condition, one after another.
///
/// A source turns one cursor from object to object. A subclass says which saved objects it meets, and in
/// which order: ``RecordSource`` all of the class, ``RowSource`` those of rows that indexes name,
/// ``EntrySource`` what keys say of them. Here each one is asked the condition and counted, and the pending
/// objects come that the subclass does not meet itself.
///
/// Not `Sendable`: it belongs to one run of a query.
class MatchSource {
    final let store: Store
    final let storedClass: StoredClass
    final let cursor: RowCursor
    /// Whether all saved objects that it meets meet the condition.
    final let isExact: Bool
    private final let filter: Filter

    // Unchecked, because no code of the caller calls back into a source.

    /// How many objects were met.
    @exclusivity(unchecked) final fileprivate(set) var examined = 0
    /// How many of them met the condition.
    @exclusivity(unchecked) final fileprivate(set) var matched = 0
    /// Objects that come last, in reverse order.
    @exclusivity(unchecked) private final var last: [StoredObject]
    @exclusivity(unchecked) private final var isAtEnd = false

    /// - Parameters:
    ///   - filter: the condition.
    ///   - last: the pending objects that ``refresh()`` does not meet.
    init(
        _ store: Store, _ storedClass: StoredClass, _ filter: Filter, isExact: Bool,
        ofEntries: Bool = false, last: [StoredObject] = []
    ) {
        (self.store, self.storedClass) = (store, storedClass)
        (self.filter, self.isExact) = (filter, isExact)
        self.last = last.reversed()
        cursor = RowCursor(store, store.fields(of: storedClass), ofEntries: ofEntries)
    }

    /// Turns the cursor to the next object, whether it meets the condition or not. `false` at the end.
    func advance() throws -> Bool { false }

    /// Gives back what the source has used.
    func end() {}

    /// The source itself, if its rows are those of all matches and are known without their records.
    var exactRows: RowSource? { nil }

    /// Turns the cursor to the next match. `false` at the end.
    final func next() throws -> Bool {
        while !isAtEnd {
            do {
                guard try advance() else {
                    isAtEnd = true
                    break
                }
                examined &+= 1
                // An object in memory may have been changed since, by the condition or by what is done with
                // matches.
                if !isExact || cursor.isInMemory {
                    guard try filter.accepts(cursor) else { continue }
                }
            } catch is RowCursor.Gone {
                continue
            }
            matched &+= 1
            return true
        }
        while let object = last.popLast() {
            if try asks(object) { return true }
        }
        return false
    }

    /// Whether an object with pending changes meets the condition; the cursor turns to it.
    final func asks(_ object: StoredObject) throws -> Bool {
        guard object.state.isPending, !object.state.contains(.deleted) else { return false }
        cursor.take(object)
        examined &+= 1
        guard try filter.accepts(cursor) else { return false }
        matched &+= 1
        return true
    }

    /// Rows of matches were given without their records.
    final func count(_ rows: Int) {
        examined += rows
        matched += rows
    }

    /// Calls `body` with the cursor at each match, until it returns `false`.
    final func forEachMatch(_ body: (RowCursor) throws -> Bool) throws {
        while try next() {
            do { guard try body(cursor) else { return } } catch is RowCursor.Gone { continue }
        }
    }
}

extension MatchSource {
    /// Calls `body`, which may take what it wants of the source; saves and the like are refused meanwhile.
    func use<Result>(
        _ counts: inout ScanCounts, _ body: (MatchSource) throws -> Result
    ) throws -> Result {
        store.enumerations += 1
        defer {
            store.enumerations -= 1
            counts.examined += examined
            counts.matched += matched
            counts.objectsRead += cursor.objectsRead
            end()
        }
        return try body(self)
    }
}

extension Store {
    /// The source of the objects of `storedClass` that meet `filter`, by that path.
    func source(
        by path: AccessPath, of storedClass: StoredClass, _ filter: Filter
    ) throws -> MatchSource {
        switch path {
        case .scan: try RecordSource(self, storedClass, filter)
        case .rows(let plan): PlannedSource(self, storedClass, filter, plan)
        case .entries(let scan): try EntrySource(self, storedClass, filter, scan)
        }
    }
}
