import CabinetBackend

// What queries read of a backend they read here.

/// How much of a class a scan has looked at.
struct ScanCounts {
    /// Objects that the condition was asked of.
    var examined = 0
    /// Objects that met it.
    var matched = 0
    /// Records of which an object was made.
    var objectsRead = 0
}

extension Store {
    /// Calls `body` with a candidate at each object of exactly the class that `filter` accepts,
    /// saved and pending, in no order, until it returns `false`.
    ///
    /// - Throws: what `body`, the filter and ``records(of:)`` throw; for a record that must be read
    ///   and cannot be, why.
    func scan(
        _ storedClass: StoredClass, _ filter: Filter, _ counts: inout ScanCounts,
        _ body: (Candidate) throws -> Bool
    ) throws {
        enumerations += 1
        defer { enumerations -= 1 }
        let inserted = overlay.inserted(of: storedClass)
        let candidate = Candidate(self, fields(of: storedClass))
        defer {
            counts.objectsRead += candidate.objectsRead
            if candidate.objectsRead > 0 { storedClass.reads.noteWalk(of: candidate.objectsRead) }
        }
        let walk = try records(of: storedClass)
        defer { walk.end() }
        while try walk.next() {
            let run = walk.run
            while let (row, record) = run.next() {
                do {
                    guard try candidate.take(record, at: row) else { continue }
                    counts.examined += 1
                    guard try filter.accepts(candidate) else { continue }
                    counts.matched += 1
                    guard try body(candidate) else { return }
                } catch is Candidate.Gone {
                    continue
                }
            }
        }
        for object in inserted where object.state.contains(.inserted) {
            candidate.take(object)
            counts.examined += 1
            guard try filter.accepts(candidate) else { continue }
            counts.matched += 1
            guard try body(candidate) else { return }
        }
    }

    /// How many objects of exactly the class there are, pending changes counted.
    func countOfAll(_ storedClass: StoredClass) throws -> Int {
        overlay.count(of: storedClass, saved: try reader.count(of: storedClass.table))
    }

    /// The classes that a query for `type` looks at, in the order of their numbers.
    func classesToScan(
        _ type: StoredObject.Type, includingSubclasses: Bool,
        where isWanted: (StoredObject.Type) -> Bool
    ) throws -> [StoredClass] {
        let storedClass = try classToRead(type)
        guard includingSubclasses else { return [storedClass] }
        return classesByNumber.compactMap { $0 }.filter { isWanted($0.type) }
    }
}
