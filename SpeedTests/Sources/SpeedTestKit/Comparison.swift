import Foundation

/// The program that runs every test on Cabinet and its rivals.
public enum Comparison {
    /// Runs what the command line asks for, and exits with 1 if a test did not do its work.
    public static func main() {
        do { try run() } catch {
            Terminal.progress("")
            Terminal.complain("compare: \(error)")
            exit(1)
        }
    }

    private static func run() throws {
        let options = try Options(CommandLine.arguments.dropFirst(), jsonTakesFile: true)
        if let errand = options.errand { return try options.run(errand) }
        let full = options.objects ?? Options.usualObjects
        let tests = options.only.isEmpty ? SpeedTest.all : SpeedTest.every
        let rounds = tests.filter(options.includes).flatMap { test in
            test.shares.map { (test: test, objects: max(100, Int(Double(full) * $0))) }
        }
        let workshop = try Workshop(in: options.directory)
        var summaries: [Summary] = []
        print(ResultTable.head)
        for (index, round) in rounds.enumerated() {
            let row = try measure(round.test, round.objects, options.runs, workshop) {
                Terminal.progress("\(index + 1) of \(rounds.count): \($0)")
            }
            Terminal.progress("")
            print(ResultTable.row(round.test, row))
            summaries += row
            // The largest stores would fill the disk beside each other.
            let later = rounds[(index + 1)...]
            if !later.contains(where: { $0.objects == round.objects }) {
                workshop.clear(objects: round.objects)
            }
        }
        if let file = options.jsonFile {
            let lines = try summaries.map { try $0.line() + "\n" }.joined()
            try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
        }
        if let file = options.chartFile {
            try Data(BarChart(summaries).svg.utf8).write(to: URL(fileURLWithPath: file))
        }
    }

    /// The engines take turns, each run in another order, so that what else the machine does
    /// falls on all of them.
    static func measure(
        _ test: SpeedTest, _ objects: Int, _ runs: Int, _ workshop: Workshop,
        _ progress: (String) -> Void
    ) throws -> [Summary] {
        try measure([test], objects, runs, workshop, progress).first ?? []
    }

    /// The same for several tests, which take turns too: those whose ratio to each other is asked for.
    static func measure(
        _ tests: [SpeedTest], _ objects: Int, _ runs: Int, _ workshop: Workshop,
        _ progress: (String) -> Void
    ) throws -> [[Summary]] {
        let turns = tests.indices.flatMap { place in
            tests[place].engines.map { (place: place, engine: $0) }
        }
        var measured = tests.map { _ in [Engine: [Measurement]]() }
        for run in 0..<runs {
            for turn in turns.indices {
                let (place, engine) = turns[(turn + run) % turns.count]
                let name = tests[place].name
                progress("\(name), \(objects), run \(run + 1) of \(runs), \(engine.rawValue)")
                let measurement = try workshop.measure(tests[place], engine, objects: objects)
                measured[place][engine, default: []].append(measurement)
            }
        }
        return zip(tests, measured).map { test, measured in
            test.engines.map {
                Summary(test, $0, objects: objects, runs: measured[$0] ?? [])
            }
        }
    }
}
