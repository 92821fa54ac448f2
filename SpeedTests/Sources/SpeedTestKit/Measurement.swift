import CRivals
import Foundation

/// One run of one test on one engine.
struct Measurement: Codable, Sendable {
    let seconds: Double
    /// What the processors spent on the process meanwhile, all threads together. Where `seconds` are of a
    /// part of the work that does not say what it took, of the whole.
    let processorSeconds: Double
    /// The most anonymous memory that the process had meanwhile, in bytes.
    let peak: UInt64
}

extension SpeedTest {
    /// Makes the store that the work needs.
    func prepare(_ engine: Engine, _ job: Job) throws {
        _ = try preparation?.run(job, on: engine, Shelf(job, of: engine))
    }

    /// Does the work under the clock, and then sees that it was done.
    func measure(_ engine: Engine, _ job: Job) throws -> Measurement {
        let shelf = Shelf(job, of: engine)
        if engine == .memory {
            // A store in memory lives no longer than the process.
            _ = try preparation?.run(job, on: engine, shelf)
        } else {
            // The measured time must not include waiting for earlier writes.
            sync()
        }
        speed_watch_begin()
        let start = speed_clock()
        let processorStart = speed_processor_clock()
        let result = try work.run(job, on: engine, shelf)
        let end = speed_clock()
        let processorEnd = speed_processor_clock()
        let peak = speed_watch_end()
        withExtendedLifetime(result.live) {}
        try verify(result.proof, expected(job), engine)
        if let check {
            let found = try check.work.run(job, on: engine, shelf).proof
            try verify(found, check.expected(job), engine)
        }
        return Measurement(
            seconds: result.seconds ?? end - start,
            processorSeconds: result.processorSeconds ?? processorEnd - processorStart, peak: peak)
    }

    private func verify(_ found: Proof, _ expected: Proof, _ engine: Engine) throws {
        guard found == expected else {
            throw SpeedTestError.wrongProof(
                test: name, engine: engine, found: found, expected: expected)
        }
    }
}

/// The runs of one test on one engine, as results are kept: an object a line.
struct Summary: Codable, Sendable {
    let test: String
    let engine: Engine
    let objects: Int
    let medianSeconds: Double
    let minSeconds: Double
    let maxSeconds: Double
    let medianProcessorSeconds: Double
    let peakAnonymousBytes: UInt64

    private enum CodingKeys: String, CodingKey {
        case test, engine, objects
        case medianSeconds = "median_s"
        case minSeconds = "min_s"
        case maxSeconds = "max_s"
        case medianProcessorSeconds = "median_cpu_s"
        case peakAnonymousBytes = "peak_anon_bytes"
    }

    /// `runs` holds at least one.
    init(_ test: SpeedTest, _ engine: Engine, objects: Int, runs: [Measurement]) {
        let times = runs.map(\.seconds).sorted()
        self.test = test.name
        self.engine = engine
        self.objects = objects
        medianSeconds = Self.median(times)
        medianProcessorSeconds = Self.median(runs.map(\.processorSeconds).sorted())
        minSeconds = times[0]
        maxSeconds = times[times.count - 1]
        peakAnonymousBytes = runs.map(\.peak).max() ?? 0
    }

    /// Of at least one number, sorted.
    private static func median(_ sorted: [Double]) -> Double {
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The summary as one line.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
