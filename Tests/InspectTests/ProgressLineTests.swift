import CabinetBackend
import Foundation
import Testing

@testable import cabinet_inspect

struct ProgressLineTests {
    let store = InspectStore()

    final class Caught: Sendable {
        let text = Guarded("")
        func add(_ more: String) { text.withLock { $0 += more } }
        var all: String { text.withLock { $0 } }
    }

    @Test func aLineIsWrittenWhenThePercentageChanges() {
        let caught = Caught()
        let line = ProgressLine("Checking") { caught.add($0) }
        for fraction in [0, 0.001, 0.5, 0.501, 7, .nan] { line.show(fraction) }
        line.end()
        line.show(0.3)
        line.end()
        let clear = "\r\u{1B}[K"
        #expect(
            caught.all == ["0 %", "50 %", "100 %", "0 %"]
                .map { "\(clear)Checking  \($0)" }.joined() + clear)
    }

    @Test(arguments: ["check", "compact", "backup", "salvage"])
    func longCommandsShowHowFarTheyAre(_ command: String) async throws {
        try store.make()
        let caught = Caught()
        let needsPlace = ["backup", "salvage"].contains(command)
        let words = [command, store.path] + (needsPlace ? [store.directory + "/New"] : [])
        let program = Program(print: { _ in }, say: { _ in }, show: { caught.add($0) })
        #expect(await program.run(words) == .sound)
        #expect(caught.all.contains("  0 %") && caught.all.hasSuffix("\r\u{1B}[K"))
    }

    @Test func nothingIsShownWhereNobodyLooks() async throws {
        try store.make()
        let result = await store.run("check", store.path)
        #expect(result.messages.isEmpty && result.output.last?.hasPrefix("Sound: ") == true)
    }

    @Test func nothingInAStoreSteersTheTerminal() {
        #expect(Program.plain("a\u{1B}[2Jb\u{9B}\n") == "a\\u{1b}[2Jb\\u{9b}\\u{a}")
        #expect(Program.plain("Ääkköset") == "Ääkköset")
    }
}
