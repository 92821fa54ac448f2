import CLibrary
import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

struct FirstSaveTests {
    struct Case: Hashable, Sendable, CustomTestStringConvertible {
        var fault: FaultyFiles.Fault
        var durability: Durability
        var extent: FirstSaveRun.Extent
        var isSealed = false
        var testDescription: String {
            "\(fault), \(durability), \(extent)" + (isSealed ? ", sealed" : "")
        }
    }

    static let cases = [Durability.full, .process].flatMap { durability in
        FirstSaveRun.Extent.allCases.flatMap { extent in
            [FaultyFiles.Fault.error(ENOSPC), .error(EMFILE), .shortWrite(EIO)].map {
                Case(fault: $0, durability: durability, extent: extent)
            }
        } + [Case(fault: .doneButReported(EIO), durability: durability, extent: .once)]
    }

    /// The keys are written then, too.
    static let sealedCases = FirstSaveRun.Extent.allCases.map {
        Case(fault: .shortWrite(EIO), durability: .full, extent: $0, isSealed: true)
    }

    /// A store whose first save failed after chunks of it were in the log, and which was closed
    /// then, did not open again.
    @Test(arguments: cases + StoreUnderTest.sealings.filter { $0 }.flatMap { _ in sealedCases })
    func aStoreWhoseFirstSaveFailedOpensAgain(_ test: Case) throws {
        let run = FirstSaveRun(
            durability: test.durability, fault: test.fault, extent: test.extent)
        let directory = ScratchDirectory()
        var counts: [FirstSaveRun.Outcome: Int] = [:]
        // The cases begin at different operations, so that the three or four of each durability and
        // extent together fail at each.
        let share = 3 * RunSetting.share
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
        if RunSetting.share == 1 { #expect(counts[.failed, default: 0] > 5) }
        print(
            "\(test.testDescription): \(counts[.failed] ?? 0) first saves failed, "
                + "\(counts[.saved] ?? 0) did not")
    }
}
