import CabinetBackend

/// What a store holds in memory, and how it came there: to be printed while a program is made.
///
/// `Sendable`: numbers and names.
public struct DebugReport: Sendable, Hashable {
    /// The same for the objects of one class.
    public struct ClassReport: Sendable, Hashable {
        /// The name of the class in the store.
        public let storageName: String
        /// Objects in memory.
        public let liveObjects: Int
        /// Those among them whose content was not read yet.
        public let liveFaults: Int
        /// Faults that were read one by one, each when it was touched, since the store was opened.
        public let faultsRead: Int
        /// How often 50 faults were read one by one within a second, with no fetch of the class in
        /// between. The store logs a warning each time.
        public let faultBursts: Int
        /// Records that `objects(of:)` and `forEach` gave, since the store was opened.
        public let recordsWalked: Int
        /// Faults that `prefetch` read, since the store was opened.
        public let recordsPrefetched: Int
        /// Objects that the next save writes for the first time.
        public let pendingInserts: Int
        /// Objects that the next save writes again.
        public let pendingUpdates: Int
        /// Objects whose records the next save removes.
        public let pendingDeletes: Int
    }

    /// Queries of one kind that looked at every object of a class. `Sendable`: a value.
    public struct ScannedQuery: Sendable, Hashable {
        /// The name of the class in the store.
        public let storageName: String
        /// What they asked, without the constants: `artist = … and year > …, sorted by title`.
        public let condition: String
        /// How many queries there were.
        public let count: Int
        /// How many objects they looked at, all together.
        public let objectsExamined: Int
        /// Indexes that such queries could use, as the class would declare them:
        /// `.ordered(\Song.artist, \Song.year)`. Empty if there is none, or if the class has it: then it
        /// was not complete, or a scan was quicker.
        public let helpfulIndexes: [String]
    }

    /// A report for each registered class, in the order of the classes' numbers.
    public let classes: [ClassReport]
    /// Named buffers that the next save sets or removes.
    public let pendingNames: Int
    /// Objects in memory that are or were observed.
    public let observedObjects: Int
    /// Complete indexes that no query has used since the store was opened, as "class.index": each costs
    /// every save of its class.
    public internal(set) var unusedIndexes: [String] = []
    /// Indexes and text indexes that are not complete as of the store's basis, as "class.index": they are being built, are
    /// behind, or cannot be built. Queries do not use them; of a unique one, saves look at records to keep
    /// keys from being given twice. Those of a class without records lack nothing.
    public internal(set) var incompleteIndexes: [String] = []
    /// Fields of earlier programs that no field of their class continues, as "class.field": see
    /// ``ClassMetadata/unclaimedFields``.
    public let unclaimedFields: [String]
    /// Queries that looked at every object of a class since the store was opened, by their kind: those that
    /// looked at the most objects first, at most 64. Queries for all objects in no order do not count.
    public internal(set) var scannedQueries: [ScannedQuery] = []
    /// How many such queries there were of further kinds.
    public internal(set) var furtherScans: Int = 0
}

extension DebugReport: CustomStringConvertible {
    /// A line for each class.
    public var description: String {
        var lines = classes.map { report in
            "\(report.storageName): \(report.liveObjects) live (\(report.liveFaults) faults); "
                + "read \(report.recordsWalked) by fetches, \(report.recordsPrefetched) ahead, "
                + "\(report.faultsRead) one by one in \(report.faultBursts) bursts; "
                + "pending \(report.pendingInserts) new, \(report.pendingUpdates) changed, "
                + "\(report.pendingDeletes) deleted"
        }
        if pendingNames > 0 { lines.append("\(pendingNames) named buffers pending") }
        if observedObjects > 0 { lines.append("\(observedObjects) objects observed") }
        if !unusedIndexes.isEmpty {
            lines.append("indexes that nothing used: " + unusedIndexes.joined(separator: ", "))
        }
        if !incompleteIndexes.isEmpty {
            lines.append(
                "indexes that are not complete: " + incompleteIndexes.joined(separator: ", "))
        }
        if !unclaimedFields.isEmpty {
            lines.append(
                "fields of earlier programs that no field continues: "
                    + unclaimedFields.joined(separator: ", "))
        }
        lines += scannedQueries.map(\.description)
        if furtherScans > 0 { lines.append("\(furtherScans) scans of further kinds") }
        return lines.joined(separator: "\n")
    }
}

extension DebugReport.ScannedQuery: CustomStringConvertible {
    /// One line.
    public var description: String {
        "\(storageName) where \(condition): scanned \(count) times, \(objectsExamined) objects"
            + (helpfulIndexes.isEmpty
                ? "" : "; would use " + helpfulIndexes.joined(separator: " and "))
    }
}

extension Store {
    /// What the store holds in memory, and how it came there. Looks at every object in memory: a
    /// few nanoseconds each.
    public var debugReport: DebugReport {
        var updates = [Int](repeating: 0, count: 256)
        for object in changes.objects where object.state.contains(.updated) {
            if let storedClass = object.storedClass { updates[Int(storedClass.number)] += 1 }
        }
        var result = DebugReport(
            classes: classesByNumber.compactMap { storedClass in
                storedClass.map { report(on: $0, pendingUpdates: updates[Int($0.number)]) }
            },
            pendingNames: pendingNames.count, observedObjects: observed.count,
            unclaimedFields: classes.flatMap { storedClass in
                (storedClass.layouts?.unclaimedFields ?? []).map { "\(storedClass.name).\($0)" }
            })
        // Of a store that cannot read its catalog, nothing.
        result.incompleteIndexes = (try? incompleteParts()) ?? []
        for part in parts { part.add(to: &result, on: self) }
        return result
    }

    private func report(on storedClass: StoredClass, pendingUpdates: Int) -> DebugReport.ClassReport
    {
        var faults = 0
        storedClass.forEachObject { if $0.state.contains(.fault) { faults += 1 } }
        return .init(
            storageName: storedClass.name, liveObjects: storedClass.liveObjects, liveFaults: faults,
            faultsRead: storedClass.reads.faults, faultBursts: storedClass.reads.bursts,
            recordsWalked: storedClass.reads.walked,
            recordsPrefetched: storedClass.reads.prefetched,
            pendingInserts: storedClass.pendingInserts, pendingUpdates: pendingUpdates,
            pendingDeletes: storedClass.pendingDeletes)
    }

    /// A fault was read alone. Says so if it is one of many.
    func countFault(of storedClass: StoredClass) {
        if storedClass.reads.noteFault() { log(.notice, burst(of: storedClass)) }
    }

    /// The message about many faults of one class that were read one by one.
    private func burst(of storedClass: StoredClass) -> String {
        return "\(ReadCounts.burstCount) objects of class \(storedClass.name) were read one by "
            + "one. To read such objects in one pass beforehand: "
            + waysToPrefetch(storedClass).joined(separator: ", or ") + "."
    }

    /// The calls that read objects of a class before they are touched.
    func waysToPrefetch(_ storedClass: StoredClass) -> [String] {
        let ways = classes.flatMap { owner in
            owner.fields.relations.filter { $0.accepts(storedClass) }
                .map { "store.prefetch(\\\(owner.type).\($0.name), of: …)" }
        }
        return ways.isEmpty ? ["store.prefetch(…)"] : ways
    }
}
