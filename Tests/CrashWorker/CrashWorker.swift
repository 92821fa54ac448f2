import CLibrary
import TrustSupport

/// The program that tests start where a process may die, or is to; and the long runs: `kills`,
/// `documents`, `cuts`, `damages`, `load`, `ordered` or `queries`, how many, and the seed.
@main
struct CrashWorker {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let order = WorkOrder(arguments: arguments) { exit(Worker(order).run()) }
        do {
            #if SQLite || PostgreSQL
                if let run = AdderRun(arguments: arguments) {
                    try run.work(say: say)
                    exit(0)
                }
            #endif
            if let run = DamageRun(arguments: arguments),
                let first = arguments.last.flatMap({ Int($0) })
            {
                try run.work(from: first, say: say)
            } else if let run = FillRun(arguments: arguments) {
                say("F \(try run.work())")
            } else if let run = ForkRun(arguments: arguments) {
                say("S \(try await run.work())")
            } else if let run = WriterRun(arguments: arguments) {
                try run.work(say: say)
            } else if let run = DocumentKillWorker(arguments: arguments) {
                try run.work(say: say)
            } else if let run = SaleRun(arguments: arguments) {
                try run.work(say: say)
            } else if let run = PastRun(arguments: arguments) {
                try await run.work(say: say)
            } else if let run = ReaderRun(arguments: arguments) {
                try run.work(say: say)
            } else if let code = try await LongRun.run(arguments, say: say) {
                exit(code)
            } else {
                say("CrashWorker is started by the tests alone.")
                exit(2)
            }
        } catch {
            say("E \(error)")
            exit(1)
        }
    }

    /// At once and whole, so that the line is there when the process dies.
    @Sendable private static func say(_ line: String) {
        let bytes = Array((line.split(separator: "\n").joined(separator: " ") + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, min($0.count, 4000)) }
    }
}
