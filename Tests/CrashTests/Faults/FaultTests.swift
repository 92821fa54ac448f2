import CLibrary
import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

struct FaultTests {
    struct Case: Hashable, Sendable, CustomTestStringConvertible {
        var fault: FaultyFiles.Fault
        var durability: Durability
        var length = 1
        var isSealed = false
        var testDescription: String {
            "\(fault) × \(length), \(durability)" + (isSealed ? ", sealed" : "")
        }
    }

    static let cases =
        plainCases
        + StoreUnderTest.sealings.filter { $0 }.flatMap { _ in
            [
                Case(fault: .error(EIO), durability: .full, isSealed: true),
                Case(fault: .shortWrite(ENOSPC), durability: .process, isSealed: true),
            ]
        }

    private static let plainCases = [
        Case(fault: .error(ENOSPC), durability: .full),
        Case(fault: .error(EDQUOT), durability: .process),
        Case(fault: .error(EIO), durability: .full),
        Case(fault: .error(EIO), durability: .process),
        Case(fault: .error(EIO), durability: .full, length: 3),
        Case(fault: .shortWrite(ENOSPC), durability: .full),
        Case(fault: .shortWrite(EIO), durability: .process),
        Case(fault: .doneButReported(EIO), durability: .full),
        Case(fault: .doneButReported(EIO), durability: .process, length: 2),
    ]

    /// Whatever fails and whenever: the save says so, the store is as before, the same changes
    /// save when the fault has cleared, and everything acknowledged is there in the end.
    @Test(arguments: cases)
    func aFaultAtAnyOperationCostsNothingThatWasAcknowledged(_ test: Case) throws {
        var run = FaultRun(
            seed: RunSetting.seed, durability: test.durability, fault: test.fault)
        run.length = test.length
        let directory = ScratchDirectory()
        var counts: [FaultRun.Outcome: Int] = [:]
        // The cases begin at different operations, so that together they fail at each.
        let share = RunSetting.share
        let first = (Self.cases.firstIndex(of: test) ?? 0) % share
        for operation in stride(from: first, to: .max, by: share) {
            directory.clear()
            let outcome = StoreUnderTest.$isSealed.withValue(test.isSealed) {
                run.run(failing: operation, in: directory.path)
            }
            counts[outcome, default: 0] += 1
            if case .wrong(let text) = outcome {
                Issue.record("operation \(operation): \(text)")
                if counts.count > 5 { break }
            }
            if outcome == .neverReached { break }
        }
        #expect(counts[.survived, default: 0] > 10 / share)
        print(
            "\(test.testDescription): \(counts[.survived] ?? 0) failures survived, "
                + "\(counts[.unnoticed] ?? 0) unnoticed")
    }
}
