import Foundation

/// The program that measures declared classes beside hand-written ones and plain Swift:
/// `DeclaredTest --objects N --runs N --json --only NAME,NAME`.
public enum DeclaredProgram {
    /// Runs what the command line asks for, and exits with 1 if a test did not do its work.
    public static func main() {
        do { try run() } catch {
            Terminal.progress("")
            Terminal.complain("DeclaredTest: \(error)")
            exit(1)
        }
    }

    private static func run() throws {
        let options = try Options(CommandLine.arguments.dropFirst(), jsonTakesFile: false)
        if let errand = options.errand { return try options.run(errand) }
        let workshop = try Workshop(in: options.directory)
        for test in SpeedTest.declared where options.includes(test) {
            let full = Double(options.objects ?? Options.usualObjects)
            let objects = max(1, Int(full * (test.shares.first ?? 1)))
            let row = try Comparison.measure(test, objects, options.runs, workshop) {
                Terminal.progress($0)
            }
            Terminal.progress("")
            for summary in row {
                print(options.printsJSON ? try summary.line() : text(summary, test, row[0]))
            }
            workshop.clear(objects: objects)
        }
    }

    /// The median of one engine, and its ratio to that of the first engine.
    private static func text(_ summary: Summary, _ test: SpeedTest, _ first: Summary) -> String {
        let each = summary.medianSeconds / Double(test.units(of: summary.objects))
        return Terminal.padded(summary.test, 16, left: true)
            + Terminal.padded(summary.engine.rawValue, 10, left: true)
            + Terminal.padded(Terminal.time(each), 10) + " per \(test.unit)"
            + Terminal.padded(
                Terminal.ratio(summary.medianSeconds / first.medianSeconds), 10)
    }
}
