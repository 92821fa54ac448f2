import CSystemCallCount
import CTokyoYield
import Foundation
import Testing

/// The gate belongs to the whole process, so each test has a process of its own. What passes the
/// gate is counted by the kernel (see `cabinet_count_yields`).
@Suite(.enabled(if: YieldCount.isPossible, "the system lets no thread filter its system calls"))
struct YieldGateTests {
    @Test func closedGateHoldsBackEveryYieldOfTheLibrary() async {
        await #expect(processExitsWith: .success) {
            unsetenv(YieldCount.wish)
            #expect(cabinet_yield_gate_close())
            #expect(cabinet_yield_gate_is_closed())
            #expect(YieldCount.ofPuts(1000) == 0)
        }
    }

    @Test func closedGateLetsEverybodyElseYield() async {
        await #expect(processExitsWith: .success) {
            unsetenv(YieldCount.wish)
            #expect(cabinet_yield_gate_close())
            #expect(YieldCount.of { for _ in 0..<100 { sched_yield() } } == 100)
        }
    }

    @Test func gateIsOpenUntilClosed() async {
        await #expect(processExitsWith: .success) {
            #expect(!cabinet_yield_gate_is_closed())
            #expect(YieldCount.of { sched_yield() } == 1)
        }
    }

    @Test func gateOpensAndClosesAgain() async {
        await #expect(processExitsWith: .success) {
            unsetenv(YieldCount.wish)
            for _ in 0..<3 {
                #expect(cabinet_yield_gate_close())
                #expect(cabinet_yield_gate_close())
                #expect(YieldCount.ofPuts(100) == 0)
                cabinet_yield_gate_open()
                #expect(!cabinet_yield_gate_is_closed())
            }
        }
    }

    @Test func environmentKeepsTheGateOpen() async {
        await #expect(processExitsWith: .success) {
            setenv(YieldCount.wish, "1", 1)
            #expect(!cabinet_yield_gate_close())
            #expect(!cabinet_yield_gate_is_closed())
            setenv(YieldCount.wish, "0", 1)
            #expect(cabinet_yield_gate_close())
        }
    }

    /// Without this one the others could pass because nothing was held back.
    ///
    /// The library yields whenever a count of its own reaches a multiple of 256, and now and then
    /// lets the count go on from the clock's second. So the time of day decides how often it
    /// yields: with a clock put to 660 seconds one after another, 375 to 3,643 times in 1,000 puts.
    @Test(.enabled(if: YieldCount.libraryYields, "only Debian's and Ubuntu's build yields"))
    func openGateLetsTheLibraryYieldAboutOncePerRecord() async {
        await #expect(processExitsWith: .success) {
            #expect((YieldCount.ofPuts(1000) ?? 0) > 300)
            setenv(YieldCount.wish, "1", 1)
            cabinet_yield_gate_close()
            #expect((YieldCount.ofPuts(1000) ?? 0) > 300)
            unsetenv(YieldCount.wish)
            cabinet_yield_gate_close()
            cabinet_yield_gate_open()
            #expect((YieldCount.ofPuts(1000) ?? 0) > 300)
        }
    }
}

/// Counts the calls of `sched_yield` that reach the system.
private enum YieldCount {
    /// What the environment holds to keep the gate open.
    static let wish = "CABINET_TOKYO_YIELD"

    static let isPossible = cabinet_count_yields({ _ in }, nil) == 0

    static let libraryYields = FileManager.default.fileExists(atPath: "/etc/debian_version")

    /// -1 where counting is not possible; `body` has then not run.
    static func of(_ body: () -> Void) -> Int {
        withoutActuallyEscaping(body) { body in
            var work = body
            return withUnsafeMutablePointer(to: &work) { work in
                cabinet_count_yields({ $0!.load(as: (() -> Void).self)() }, work)
            }
        }
    }

    /// The yields while a fresh hash file takes `count` records; nil, and an issue recorded, if it
    /// did not take them.
    static func ofPuts(_ count: Int) -> Int? {
        do {
            let file = try HashFile()
            var outcome = Result<Void, any Error>.success(())
            let yields = of { outcome = Result { try file.putRecords(count) } }
            try outcome.get()
            #expect(file.recordCount == UInt64(count))
            return yields
        } catch {
            Issue.record(error)
            return nil
        }
    }
}
