import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation

/// A container in a directory that goes with the measurement.
@MainActor func withContainer<Result>(
    of type: StoredObject.Type, in directory: String,
    _ body: (StoreContainer, TokyoBackend) async throws -> Result
) async throws -> Result {
    let url = URL(filePath: directory).appending(path: "Store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let backend = try TokyoBackend(path: url.path, durability: .process)
    let container = StoreContainer(backend: backend, classes: [type])
    let result = try await body(container, backend)
    try container.close()
    return result
}

extension TokyoBackend {
    /// Waits until the worker has moved what commits before this call have replaced, but for the last 256 KiB
    /// or so: until no thread of the process works any more.
    func waitForHistory() {
        var (time, looks) = (Time().process, 0)
        while looks < 10 {
            usleep(50_000)
            let now = Time().process
            (time, looks) = (now, now - time < 0.002 ? looks + 1 : 0)
        }
    }
}

/// The time of the calling thread, of the process, and of the clock, in seconds.
struct Time {
    var thread = seconds(CLOCK_THREAD_CPUTIME_ID)
    var process = seconds(CLOCK_PROCESS_CPUTIME_ID)
    var clock = seconds(CLOCK_MONOTONIC)

    static func - (end: Time, start: Time) -> Time {
        var time = end
        time.thread -= start.thread
        time.process -= start.process
        time.clock -= start.clock
        return time
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Numbers at random, the same in each run.
struct Choices {
    private var state: UInt64 = 2010

    /// A number below `limit`.
    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}

/// The value behind `name` on the command line.
func argument(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else {
        return nil
    }
    return arguments[place + 1]
}

func report(_ name: String, _ figure: String) {
    print(name.padding(toLength: 64, withPad: " ", startingAt: 0) + figure)
}

func milliseconds(_ time: Double) -> String { String(format: "%.3f ms", time * 1e3) }
