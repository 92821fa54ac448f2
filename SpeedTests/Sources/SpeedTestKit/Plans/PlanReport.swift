import CRivals
import Cabinet
import Foundation

/// Compares what queries take as they are planned with what they take where they scan.
enum PlanReport {
    /// Each form of condition with each want, four times.
    private static var queryCount: Int { 540 }
    /// What a query is repeated to take at least, in seconds of the processor.
    private static var shortest: Double { 0.002 }

    /// What one query has taken.
    private struct Timing {
        var planned: [Double] = []
        var scanned: [Double] = []

        var ratio: Double { Self.median(planned) / Self.median(scanned) }

        static func median(_ values: [Double]) -> Double {
            values.sorted()[values.count / 2]
        }
    }

    /// Prints the queries whose plans are worth least, in processor time.
    /// - Throws: ``SpeedTestError`` where a plan gives another answer than a scan.
    static func print(_ options: Options) throws {
        let objects = options.objects ?? Options.usualObjects
        let directory = URL(fileURLWithPath: options.directory)
            .appending(path: "cabinet-plans-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let place = PlanStore(directory: directory, objects: objects)
        try place.make()
        let queries = PlanQuery.all(of: objects, queryCount)
        var timings = Array(repeating: Timing(), count: queries.count)
        var asked = Array(queries.indices)
        for round in 0..<max(options.runs, 1) {
            Terminal.progress("plans, round \(round + 1)")
            let planned = try answers(asked, of: queries, place, hasIndexes: true) {
                timings[$0].planned.append($1)
            }
            let scanned = try answers(asked, of: queries, place, hasIndexes: false) {
                timings[$0].scanned.append($1)
            }
            for (index, place) in asked.enumerated() where planned[index] != scanned[index] {
                throw SpeedTestError.missing(
                    "same answer by plan and by scan: \(queries[place].name)")
            }
            // What is clearly quicker is not asked once more.
            asked.removeAll { timings[$0].ratio < 0.9 }
        }
        Terminal.progress("")
        try print(queries, timings, place)
    }

    /// The answers of the queries at `asked`, each a sum of what it gives.
    private static func answers(
        _ asked: [Int], of queries: [PlanQuery], _ place: PlanStore, hasIndexes: Bool,
        _ note: (Int, Double) -> Void
    ) throws -> [Int] {
        let store = try place.open(hasIndexes: hasIndexes)
        // What a store needs once is no query's.
        _ = try queries[0].run(in: store)
        let found = try asked.map { index in
            var answer = 0
            let start = speed_processor_clock()
            var (end, rounds) = (start, 0)
            while end - start < shortest {
                answer = sum(of: try queries[index].run(in: store))
                end = speed_processor_clock()
                rounds += 1
            }
            note(index, (end - start) / Double(rounds))
            return answer
        }
        try store.close()
        return found
    }

    /// A number that another answer hardly has.
    private static func sum(of answer: [Int]) -> Int {
        answer.reduce(answer.count) { ($0 &* 31) &+ $1 }
    }

    private static func print(
        _ queries: [PlanQuery], _ timings: [Timing], _ place: PlanStore
    ) throws {
        let order = timings.indices.sorted { timings[$0].ratio > timings[$1].ratio }
        let slower = order.count { timings[$0].ratio > 1.2 }
        let quicker = order.count { timings[$0].ratio < 0.9 }
        Swift.print(
            "Index.plans   \(queries.count) queries of \(place.objects) songs: \(quicker) quicker by "
                + "their plan, \(slower) slower than 1.2 ×")
        let store = try place.open(hasIndexes: true)
        for index in order.prefix(max(10, min(slower, 60))) {
            let timing = timings[index]
            Swift.print(
                "    \(Terminal.ratio(timing.ratio))  \(queries[index].name): "
                    + "\(Terminal.time(Timing.median(timing.planned))) planned, "
                    + "\(Terminal.time(Timing.median(timing.scanned))) scanned\n"
                    + "          \(try queries[index].plan(in: store))")
        }
        try store.close()
    }
}
