import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    /// Shows the records that a query in text gives, in its order, or with `--explain` how it came to them.
    func query(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        try query(backend, invocation) { answer(invocation, $0.json, [$0.line]) }
    }

    /// - Parameter show: called with each record, unless the plan is asked for.
    func query(
        _ backend: any Backend, _ invocation: Invocation, _ show: (ShownRecord) -> Void
    ) throws -> ExitStatus {
        try query(
            backend, reading: backend, invocation.operands.count > 2 ? invocation.operands[2] : "",
            invocation, show)
    }

    /// - Parameters:
    ///   - reader: what is read: the backend, or a reader of it.
    ///   - text: the query.
    func query(
        _ backend: any Backend, reading reader: any BackendReader, _ text: String,
        _ invocation: Invocation, _ show: (ShownRecord) -> Void
    ) throws -> ExitStatus {
        let decoder = RecordDecoder(try StoreSchema(backend))
        decoder.targets = reader
        let storedClass = try storedClass(invocation.operands[1], in: decoder.schema)
        let text = QueryText(text)
        var status = ExitStatus.sound
        var handWritten = 0
        let store = try Store(
            describedBy: decoder.schema, reading: reader, over: backend,
            usesIndexes: !invocation.options.contains(.scan)
        ) { unreadClass, row, problem in
            if let problem {
                status = .findings
                say("cabinet-inspect: row \(row): \(problem)")
            } else if unreadClass.number == storedClass.number {
                handWritten += 1
            }
        }
        if invocation.command == .explain || invocation.options.contains(.explain) {
            explain(
                try store.explainRows(of: storedClass.name, text),
                store.unusedIndexes(of: storedClass.name), invocation)
        } else {
            let buffer = DataBuffer()
            for row in try store.rows(of: storedClass.name, text)
            where try reader.value(of: row, in: storedClass.table, into: buffer) {
                let shown = buffer.withUnsafeBytes {
                    ShownRecord($0, row, of: storedClass, by: decoder, withHex: false)
                }
                if shown.problem != nil { status = .findings }
                show(shown)
            }
        }
        if handWritten > 0 {
            say(
                "cabinet-inspect: left out \(handWritten.counted("record")) written by hand, which "
                    + "only \(storedClass.name) can read.")
        }
        return status
    }

    /// Shows a plan, and the indexes that it could not use.
    func explain(
        _ plan: QueryPlan, _ unused: [UnusedTable], _ invocation: Invocation
    ) {
        let json = JSONValue.members(
            (
                "steps",
                .list(
                    plan.steps.map { step in
                        .members(
                            ("step", .text("\(step.action)")),
                            ("estimatedRows", step.estimatedRows.map { .count($0) }),
                            ("rows", step.rows.map { .count($0) }))
                    })
            ),
            (
                "unusedIndexes",
                unused.isEmpty
                    ? nil
                    : .list(
                        unused.map {
                            .members(("index", .text($0.name)), ("reason", .text($0.reason)))
                        })
            ))
        answer(
            invocation, json,
            plan.steps.map(\.description)
                + unused.map { "index \($0.name) was not used: \($0.reason)" })
    }
}
