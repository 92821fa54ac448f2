import Foundation

/// The program of one test: `SimpleInsertTest --objects N --runs N --json`.
public enum TestProgram {
    /// Runs the tests of the program called `name` (without its `Test`), and exits with 1 if one
    /// of them did not do its work.
    public static func main(_ name: String) {
        do { try run(name) } catch {
            Terminal.complain("\(name)Test: \(error)")
            exit(1)
        }
    }

    private static func run(_ name: String) throws {
        let options = try Options(CommandLine.arguments.dropFirst(), jsonTakesFile: false)
        if let errand = options.errand { return try options.run(errand) }
        let workshop = try Workshop(in: options.directory)
        for test in SpeedTest.tests(of: name) where options.includes(test) {
            let usual = test.shares.map { Int(Double(Options.usualObjects) * $0) }
            for objects in options.objects.map({ [$0] }) ?? usual {
                let runs = try (0..<options.runs).map { _ in
                    try workshop.measure(test, options.engine, objects: objects)
                }
                let summary = Summary(test, options.engine, objects: objects, runs: runs)
                print(options.printsJSON ? try summary.line() : text(summary, test, runs.count))
                workshop.clear(objects: objects)
            }
        }
    }

    private static func text(_ summary: Summary, _ test: SpeedTest, _ runs: Int) -> String {
        let each = summary.medianSeconds / Double(test.units(of: summary.objects))
        return """
            \(summary.test), \(summary.engine.rawValue), \(summary.objects) \(test.things): \
            median \(Terminal.time(summary.medianSeconds)) of \(runs), \
            \(Terminal.time(summary.minSeconds)) to \(Terminal.time(summary.maxSeconds)); \
            \(Terminal.time(each)) per \(test.unit); \
            peak memory \(Terminal.size(summary.peakAnonymousBytes))
            """
    }
}
