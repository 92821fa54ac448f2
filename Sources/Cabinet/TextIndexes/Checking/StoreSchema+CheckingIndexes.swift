import CabinetBackend
import Foundation

extension StoreSchema {
    /// What a check of indexes from the catalog alone has found. `Sendable`: a value.
    package struct IndexReport: Sendable {
        /// What is wrong.
        package internal(set) var findings: [GraphFinding] = []
        /// How many indexes and text indexes were compared with their records.
        package internal(set) var checked = 0
        /// Those that only their class can check, as "class.index", and why.
        package internal(set) var unchecked: [(name: String, reason: String)] = []
    }

    /// Compares the indexes and text indexes that the catalog names with their records, as of the backend's
    /// present commit, as ``Store/check(progress:isolation:)`` does: those of declared fields, collations and
    /// tokenizers that are built in.
    ///
    /// - Parameters:
    ///   - backend: the store's files. No other program may save meanwhile.
    ///   - progress: counts indexes; cancel it to stop.
    /// - Throws: `CancellationError`, or a ``BackendError``.
    package static func checkIndexes(
        of backend: any BackendReader, in schema: StoreSchema, progress: Progress? = nil
    ) async throws -> IndexReport {
        var report = IndexReport()
        let decoder = RecordDecoder(schema)
        for storedClass in schema.classes where storedClass.problem == nil {
            for (name, index) in try indexes(of: storedClass, in: backend) {
                progress?.totalUnitCount += 1
                switch index {
                case .success(let index):
                    let checked = CheckedIndex(index, of: storedClass, by: decoder)
                    try await run(IndexCheck(checked, backend), progress, &report)
                case .failure(let error):
                    report.unchecked.append(("\(storedClass.name).\(name)", error.reason))
                }
                progress?.completedUnitCount += 1
            }
            for (name, text) in try texts(of: storedClass, in: backend) {
                progress?.totalUnitCount += 1
                switch text {
                case .success(let text):
                    if let checked = CheckedText(text, of: storedClass, by: decoder) {
                        try await run(checked.check(backend), progress, &report)
                    } else if let problem = text.problem {
                        report.unchecked.append(("\(storedClass.name).\(name)", problem))
                    }
                case .failure(let error):
                    report.unchecked.append(("\(storedClass.name).\(name)", error.reason))
                }
                progress?.completedUnitCount += 1
            }
        }
        return report
    }

    private static func run(
        _ check: any StepwiseCheck, _ progress: Progress?, _ report: inout IndexReport
    ) async throws {
        while try check.step() {
            if progress?.isCancelled == true { throw CancellationError() }
            try Task.checkCancellation()
            await Task.yield()
        }
        report.findings += check.findings
        report.checked += 1
    }
}

extension CheckedIndex {
    init(_ index: CatalogIndex, of storedClass: StoreSchema.Class, by decoder: RecordDecoder) {
        self.init(
            className: storedClass.name, name: index.name, records: storedClass.table,
            table: index.table
        ) { record, row, body in
            guard let fields = try decoder.decode(record, row: row, of: storedClass).fields else {
                return
            }
            var key = OrderedKeyBuilder()
            let isAlone = index.makeKey(
                { name in fields.first { $0.name == name }?.value ?? .none }, &key)
            if let isAlone { key.withUnsafeBytes(row: isAlone ? nil : row) { body($0) } }
        }
    }
}

extension GraphReport {
    /// Adds what a check of indexes has found.
    package mutating func add(_ indexes: StoreSchema.IndexReport) {
        for finding in indexes.findings { add(finding) }
    }
}
