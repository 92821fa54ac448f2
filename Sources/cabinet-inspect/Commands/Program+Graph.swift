import Cabinet
import CabinetBackend
import CabinetTokyo

extension Program {
    func graph(_ backend: any Backend, _ invocation: Invocation) throws -> ExitStatus {
        let schema = try StoreSchema(backend)
        let graph: Graph
        if invocation.operands.count > 1 {
            let storedClass = try storedClass(invocation.operands[1], in: schema)
            let row = try Self.row(invocation.operands[2])
            guard try backend.value(of: row, in: storedClass.table, into: DataBuffer()) else {
                say("cabinet-inspect: \(storedClass.name) has no row \(row).")
                return .failed
            }
            graph = try ObjectGraph.graph(
                around: FieldValue.Reference(
                    className: storedClass.name, classNumber: storedClass.number, row: row),
                depth: invocation.depth ?? ObjectGraph.usualDepth, schema, in: backend)
        } else {
            graph = try ClassGraph.graph(of: schema, in: backend)
        }
        let isDot = invocation.options.contains(.dot)
        answer(invocation, graph.json, isDot ? graph.dot : graph.lines)
        return .sound
    }
}
