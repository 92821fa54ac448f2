import Foundation

/// A program that has the engines of a test take turns, and prints ratios: `IndexTest`, and those
/// of full-text search. `--objects N --runs N --only NAME,NAME --engine cabinet|sqlite --json`;
/// `--corpus DIRECTORY` has the files below a directory as texts.
public enum RatioProgram {
    /// Runs the tests of the program called `name` (without its `Test`), and exits with 1 if one of
    /// them did not do its work.
    public static func main(_ name: String) {
        do { try run(name) } catch {
            Terminal.progress("")
            Terminal.complain("\(name)Test: \(error)")
            exit(1)
        }
    }

    private static func run(_ name: String) throws {
        let options = try Options(CommandLine.arguments.dropFirst(), jsonTakesFile: false)
        if let errand = options.errand { return try options.run(errand) }
        let workshop = try Workshop(in: options.directory, corpus: options.corpus)
        var objects = options.objects ?? Options.usualObjects
        if let directory = options.corpus { objects = try texts(in: directory, atMost: objects) }
        for tests in rounds(name, options, objects) {
            let count = tests[0].objects(of: objects)
            let rows = try Comparison.measure(tests, count, options.runs, workshop) {
                Terminal.progress($0)
            }
            Terminal.progress("")
            // What is known stays known if a later test takes too long.
            defer { fflush(nil) }
            if options.printsJSON {
                for summary in rows.joined() { print(try summary.line()) }
                continue
            }
            for (test, row) in zip(tests, rows) { print(text(test, row)) }
            let ours = rows.compactMap { $0.first { $0.engine == .cabinet }?.medianSeconds }
            if ours.count == 2 {
                print("    by \(tests[1].name): \(Terminal.ratio(ours[0] / ours[1]))")
            }
        }
        for test in SpeedTest.tests(of: name) where !options.printsJSON {
            if options.includes(test), ["FullTextInsert", "Ledger"].contains(name),
                test.preparation == nil
            {
                try DiskReport.print(test, test.objects(of: objects), workshop)
            }
        }
        for test in SpeedTest.tests(of: name) {
            workshop.clear(objects: test.objects(of: objects))
        }
        if name == "Index", !options.printsJSON, options.includes("Index.plans") {
            try PlanReport.print(options)
        }
    }

    /// The tests that are asked for, each with the one of the same name with `Without`, if there is one and
    /// it is asked for too.
    private static func rounds(_ name: String, _ options: Options, _ objects: Int) -> [[SpeedTest]]
    {
        var tests: [SpeedTest] = []
        for var test in SpeedTest.tests(of: name) where options.includes(test) {
            if test.name.hasSuffix(".manual"),
                Corpus.manual(test.job(objects: objects, in: "")).count == 0
            {
                print("\(test.name): skipped, as there are no manual pages in /usr/share/man")
                continue
            }
            if options.isEngineGiven { test.engines.removeAll { $0 != options.engine } }
            if !test.engines.isEmpty { tests.append(test) }
        }
        func without(_ test: SpeedTest) -> SpeedTest? {
            tests.first { $0.name == test.name + "Without" }
        }
        let paired = tests.compactMap { without($0)?.name }
        return tests.filter { !paired.contains($0.name) }.map {
            [$0] + (without($0).map { [$0] } ?? [])
        }
    }

    /// Prints what the files of a directory hold, and gives how many they are.
    private static func texts(in directory: String, atMost limit: Int) throws -> Int {
        let corpus = Corpus.titles(Job(directory: "", objects: UInt32(limit), steps: 0))
        guard corpus.count > 0 else { throw SpeedTestError.missing("file in \(directory)") }
        print(
            "\(corpus.count) texts of \(directory), \(Terminal.size(corpus.size)), "
                + "\(corpus.wordCount) distinct words")
        return Int(corpus.count)
    }

    private static func text(_ test: SpeedTest, _ row: [Summary]) -> String {
        let units = Double(test.units(of: row[0].objects))
        let figures = row.map {
            Terminal.padded(
                "\($0.engine.rawValue) \(Terminal.time($0.medianSeconds))", 18)
        }
        let each = row.map { Terminal.time($0.medianSeconds / units) }.joined(separator: " and ")
        let ratio =
            row.count == 2
            ? Terminal.padded(Terminal.ratio(row[0].medianSeconds / row[1].medianSeconds), 9) : ""
        let line =
            Terminal.padded(test.name, 28, left: true) + figures.joined() + ratio
            + "   \(each) per \(test.unit)"
        guard test.name.hasPrefix("Ledger.") else { return line }
        // On a busy machine only what the processors spend says something.
        let spent = row.map { Terminal.time($0.medianProcessorSeconds) }
        let share =
            row.count == 2
            ? ", " + Terminal.ratio(row[0].medianProcessorSeconds / row[1].medianProcessorSeconds)
            : ""
        return line + "; processor " + spent.joined(separator: " and ") + share
    }
}
