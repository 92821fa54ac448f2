import Cabinet
import CabinetBackend
import CabinetTokyo
import CabinetTools

extension Program {
    func check(
        _ path: String, _ invocation: Invocation, _ access: Access
    ) async throws -> ExitStatus {
        let backend: TokyoBackend
        do {
            backend = try open(path, access)
        } catch BackendError.corrupt(let file, let offset) {
            // What is so damaged that it does not open is a finding too.
            return report(
                StoreFinding(.damagedSegment, path: file, offset: offset), invocation,
                "The store cannot be opened; salvage can read the rest.")
        } catch BackendError.logMissing {
            return report(
                StoreFinding(.missingLog, path: path + "/Journal"), invocation,
                "The store cannot be opened; salvage can read the records in its other files.")
        }
        defer { try? backend.close() }
        var report = try await following("Checking") { try await backend.check(progress: $0) }
        var repaired: Int?
        if access == .readWrite {
            let views = Set(report.findings.filter(Self.isRepairable).compactMap(\.table))
            try backend.rebuildViews(of: views)
            // Opening has rebuilt some views already.
            repaired = try backend.tablesFoundDamaged.count
            if !views.isEmpty {
                report = try await following("Checking again") {
                    try await backend.check(progress: $0)
                }
            }
        }
        var graph = try await following("Reading records") {
            try await StoreSchema.check(backend, progress: $0)
        }
        let indexes = try await checkIndexes(backend)
        graph.add(indexes)
        var toBuild = 0
        if access == .readWrite, !indexes.findings.isEmpty {
            toBuild = try StoreSchema.giveUpIndexes(found: graph, in: backend)
        }
        let lines = Self.lines(report, graph, indexes, repaired: repaired ?? 0, toBuild: toBuild)
        answer(
            invocation,
            Self.json(
                report.findings, report, repaired: repaired, graph, indexes, toBuild: toBuild),
            lines)
        return report.isSound && graph.isSound ? .sound : .findings
    }

    /// Checks what any engine can show: records and what is derived from them.
    func checkContent(
        of backend: any Backend, _ invocation: Invocation
    ) async throws -> ExitStatus {
        var graph = try await following("Reading records") {
            try await StoreSchema.check(backend, progress: $0)
        }
        let indexes = try await checkIndexes(backend)
        graph.add(indexes)
        let count = graph.faultCount
        let verdict =
            graph.isSound
            ? "Sound, to save \(try backend.lastCommit())."
            : "\(count) \(count == 1 ? "thing is" : "things are") wrong."
        answer(
            invocation, Self.json([], nil, repaired: nil, graph, indexes),
            Self.lines(graph) + Self.lines(ofUnchecked: indexes) + [verdict])
        return graph.isSound ? .sound : .findings
    }

    private static func lines(ofUnchecked indexes: Store.TableReport) -> [String] {
        indexes.unchecked.map { "Index \($0.fullName) was not checked: \($0.reason)." }
    }

    private static func lines(
        _ report: EngineReport, _ graph: CheckReport, _ indexes: Store.TableReport, repaired: Int,
        toBuild: Int
    ) -> [String] {
        var lines = report.findings.map(\.description)
        if repaired > 0 {
            lines.append("\(repaired) \(repaired == 1 ? "view was" : "views were") made anew.")
        }
        lines += Self.lines(graph)
        lines += Self.lines(ofUnchecked: indexes)
        if toBuild > 0 {
            lines.append(
                toBuild == 1
                    ? "1 index will be made anew when its program opens the store."
                    : "\(toBuild) indexes will be made anew when their program opens the store.")
        }
        let wrong = report.findings.count + graph.faultCount
        lines.append(
            report.isSound && graph.isSound
                ? "Sound: \(report.records.counted("record")) and \(report.saves.counted("save")), "
                    + "to save \(report.lastSave)."
                : "\(wrong) \(wrong == 1 ? "thing is" : "things are") wrong.")
        return lines
    }

    private func checkIndexes(
        _ backend: any Backend
    ) async throws -> Store.TableReport {
        try await following("Checking indexes") {
            try Store(
                describedBy: StoreSchema(backend), reading: backend, over: backend
            ).checkTables(progress: $0)
        }
    }

    /// Answers with the one thing that keeps the store from being opened.
    private func report(
        _ finding: StoreFinding, _ invocation: Invocation, _ hint: String
    ) -> ExitStatus {
        answer(
            invocation, Self.json([finding], nil, repaired: nil), [finding.description, hint])
        return .findings
    }

    private static func isRepairable(_ finding: StoreFinding) -> Bool {
        switch finding.kind {
        case .damagedRecord, .missingRecord, .differentRecord, .wrongCount, .damagedView,
            .unreadableView:
            true
        default: false
        }
    }

    private static func json(
        _ findings: [StoreFinding], _ report: EngineReport?, repaired: Int?,
        _ graph: CheckReport? = nil, _ indexes: Store.TableReport? = nil, toBuild: Int = 0
    ) -> JSONValue {
        .members(
            ("sound", .truth(findings.isEmpty && graph?.isSound != false)),
            ("findings", .list(findings.map(json))),
            ("records", report.map { .number($0.records) }),
            ("saves", report.map { .number($0.saves) }),
            ("lastSave", report.map { .number($0.lastSave.rawValue) }),
            ("repaired", repaired.map { .count($0) }), ("graph", graph.map(json)),
            (
                "indexes",
                indexes.map { indexes in
                    .members(
                        ("checked", .count(indexes.checked)),
                        (
                            "unchecked",
                            .list(
                                indexes.unchecked.map {
                                    .members(
                                        ("index", .text($0.fullName)), ("reason", .text($0.reason)))
                                })
                        ), ("toBuild", toBuild > 0 ? .count(toBuild) : nil))
                }
            ))
    }

    static func json(_ finding: StoreFinding) -> JSONValue {
        .members(
            ("kind", .text(finding.kind.rawValue)), ("path", .text(finding.path)),
            ("offset", finding.offset.map { .number($0) }),
            ("table", finding.table.map { .count($0.rawValue) }),
            ("row", finding.row.map { .count($0.rawValue) }),
            ("key", finding.key.map { .text($0.withUnsafeBytes { Self.hex($0) }) }),
            ("firstSave", finding.saves.map { .number($0.lowerBound.rawValue) }),
            ("lastSave", finding.saves.map { .number($0.upperBound.rawValue) }))
    }

    func salvage(_ path: String, _ invocation: Invocation) async throws -> ExitStatus {
        let place = StoreAddress.path(invocation.operands[1])
        let report = try await following("Reading") {
            try await TokyoBackend.salvage(from: path, into: place, key: key, progress: $0)
        }
        let tables = report.tables.map { table in
            JSONValue.members(
                ("name", .text(table.definition.name)), ("count", .count(table.count)),
                ("fromView", .count(table.fromView)))
        }
        let lines =
            Columns.lines(
                report.tables.map {
                    [$0.definition.name, "\($0.count)", "\($0.fromView) from its view"]
                })
            + ["Read from the log: \(report.saves.counted("save"))."]
            + (report.isComplete ? ["Nothing was lost."] : ["Lost:"])
            + report.lost.map { "  \($0)" }
        answer(
            invocation,
            .members(
                ("complete", .truth(report.isComplete)), ("tables", .list(tables)),
                ("saves", .number(report.saves)), ("lost", .list(report.lost.map(Self.json)))),
            lines)
        return report.isComplete ? .sound : .findings
    }
}
