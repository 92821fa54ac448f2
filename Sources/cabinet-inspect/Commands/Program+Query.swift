import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    /// Shows the records that a query in text gives, in its order.
    func query(_ backend: TokyoBackend, _ invocation: Invocation) throws -> ExitStatus {
        let decoder = RecordDecoder(try StoreSchema(backend))
        let storedClass = try storedClass(invocation.operands[1], in: decoder.schema)
        let query = try RecordQuery(QueryText(invocation.operands[2]), of: storedClass)
        var status = ExitStatus.sound
        var handWritten = 0
        let rows = try query.rows(in: backend, by: decoder) { row, problem in
            if let problem {
                status = .findings
                say("cabinet-inspect: row \(row): \(problem)")
            } else {
                handWritten += 1
            }
        }
        let buffer = DataBuffer()
        for row in rows where try backend.value(of: row, in: storedClass.table, into: buffer) {
            let shown = buffer.withUnsafeBytes {
                ShownRecord($0, row, of: storedClass, by: decoder, withHex: false)
            }
            answer(invocation, shown.json, [shown.line])
        }
        if handWritten > 0 {
            say(
                "cabinet-inspect: left out \(handWritten.counted("record")) written by hand, which "
                    + "only \(storedClass.name) can read.")
        }
        return status
    }
}
