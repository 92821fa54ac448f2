import Cabinet
import CabinetBackend
import CabinetTokyo
import CabinetTools

extension Program {
    func info(_ backend: TokyoBackend, _ invocation: Invocation) async throws -> ExitStatus {
        let report = try await backend.storageReport()
        let tables = report.tables.map { table in
            JSONValue.members(
                ("name", .text(table.definition.name)),
                ("number", .count(table.definition.number.rawValue)),
                ("kind", .text(Self.name(of: table.definition.kind))),
                (
                    "class",
                    table.definition.kind == .record
                        ? .count(table.definition.classNumber) : nil
                ),
                (
                    "version",
                    table.definition.kind == .record
                        ? .count(table.definition.classVersion) : nil
                ),
                ("count", .count(table.count)), ("fileBytes", .number(table.fileBytes)),
                ("liveBytes", .number(table.liveBytes)), ("deadBytes", .number(table.deadBytes)))
        }
        let rows = report.tables.map { table in
            [
                table.definition.name, Self.name(of: table.definition.kind), "\(table.count)",
                "\(table.fileBytes)", "\(table.liveBytes)", "\(table.deadBytes)",
            ]
        }
        let heading = ["TABLE", "KIND", "COUNT", "FILE BYTES", "LIVE", "DEAD"]
        answer(
            invocation,
            .members(
                ("path", .text(backend.location)), ("tables", .list(tables)),
                ("lastSave", .number(report.lastSave.rawValue)),
                ("segments", .count(report.segments)),
                ("logBytes", .number(report.logBytes)),
                ("keptLogBytes", .number(report.keptLogBytes)),
                ("snapshotBytes", .number(report.snapshotBytes)),
                ("snapshotSave", .number(report.snapshotSave.rawValue))),
            Columns.lines([heading] + rows) + [
                "",
                report.lastSave.rawValue.counted("save")
                    + "; log \(report.logBytes.counted("byte")) in "
                    + report.segments.counted("segment") + ", "
                    + (report.keptLogBytes > 0
                        ? report.keptLogBytes.counted("byte") + " more for readers of the feed, "
                        : "")
                    + Self.snapshot(in: report) + ".",
            ])
        return .sound
    }

    private static func snapshot(in report: StorageReport) -> String {
        guard report.snapshotBytes > 0 else { return "no snapshot" }
        return "snapshot \(report.snapshotBytes.counted("byte")) to save \(report.snapshotSave)"
    }

    static func name(of kind: TableKind) -> String {
        switch kind {
        case .record: "class"
        case .ordered: "index"
        case .named: "names"
        }
    }

    func backup(_ backend: TokyoBackend, _ invocation: Invocation) async throws -> ExitStatus {
        let place = StoreAddress.path(invocation.operands[1])
        try await following("Copying") { try await backend.backup(to: place, progress: $0) }
        answer(invocation, .members(("backup", .text(place))), ["The backup is at \(place)."])
        return .sound
    }

    func compact(_ backend: TokyoBackend, _ invocation: Invocation) async throws -> ExitStatus {
        let before = try await backend.storageReport()
        try await following("Compacting") { try await backend.compact(progress: $0) }
        let after = try await backend.storageReport()
        let sizes = (
            before.logBytes + before.snapshotBytes, after.logBytes + after.snapshotBytes
        )
        let freed = sizes.0 > sizes.1 ? sizes.0 - sizes.1 : 0
        answer(
            invocation,
            .members(
                ("bytesBefore", .number(sizes.0)), ("bytesAfter", .number(sizes.1)),
                ("bytesFreed", .number(freed))),
            [
                "The log had \(sizes.0.counted("byte")) and has \(sizes.1): "
                    + "\(freed.counted("byte")) freed."
            ])
        return .sound
    }
}
