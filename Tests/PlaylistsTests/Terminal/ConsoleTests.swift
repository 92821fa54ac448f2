import Testing

@testable import playlists

/// Collects what is written. Not `Sendable`, as the console it belongs to.
final class Transcript {
    private(set) var output = ""
    private(set) var messages = ""
    var code: Int32 = 0

    func console(seen: Bool = false, columns: Int? = nil) -> Console {
        Console(messagesAreSeen: seen, columns: columns) { channel, text in
            switch channel {
            case .output: self.output += text
            case .messages: self.messages += text
            }
            return self.code
        }
    }
}

struct ConsoleTests {
    @Test func outputAndMessagesGoTheirOwnWays() {
        let transcript = Transcript()
        let console = transcript.console()
        console.print("a")
        console.say("b")
        #expect(transcript.output == "a\n")
        #expect(transcript.messages == "b\n")
    }

    @Test func afterAFailedWriteNothingMoreIsTried() {
        let transcript = Transcript()
        transcript.code = 28
        let console = transcript.console()
        console.print("a")
        transcript.code = 0
        console.print("b")
        #expect(console.failure == 28)
        #expect(transcript.output == "a\n")
    }

    @Test func aMessageCannotSteerTheTerminal() {
        let transcript = Transcript()
        let problem = ImportError.Problem.malformed(expected: "a tag", found: "<\u{1B}[2J\r>")
        let error = ImportError(path: "a\u{9B}.xml", line: 3, problem: problem)
        transcript.console().complain(error, as: "playlists")
        #expect(
            transcript.messages
                == "playlists: a�.xml, line 3: Expected a tag, found <�[2J�>.\n")
    }

    @Test func exportsAreWrittenInLargePieces() {
        var pieces: [Int] = []
        let console = Console(messagesAreSeen: false, columns: nil) { _, text in
            pieces.append(text.utf8.count)
            return 0
        }
        var output = BufferedOutput(console)
        for _ in 0..<100_000 { output.write("ab") }
        output.flush()
        #expect(pieces == [65536, 65536, 65536, 3392])
    }

    @Test func progressIsShownToAPersonOnceAPercent() {
        let transcript = Transcript()
        var bar = ProgressBar("Importing", on: transcript.console(seen: true))
        for done in 0...10_000 { bar.update(done, of: 10_000) }
        #expect(transcript.messages.split(separator: "\r").count == 101)
        #expect(
            transcript.messages.hasSuffix(
                "\rImporting " + String(repeating: "█", count: 30) + " 100 %"))
        bar.clear()
        #expect(transcript.messages.hasSuffix("\r\u{1B}[K"))
        #expect(transcript.output.isEmpty)
    }

    @Test func progressSaysNothingToAPipe() {
        let transcript = Transcript()
        var bar = ProgressBar("Importing", on: transcript.console())
        bar.update(1, of: 2)
        bar.clear()
        #expect(transcript.messages.isEmpty)
    }

    @Test func progressBearsStrangeNumbers() {
        let transcript = Transcript()
        var bar = ProgressBar("X", on: transcript.console(seen: true))
        bar.update(-5, of: 10)
        bar.update(50, of: 10)
        bar.update(0, of: 0)
        #expect(transcript.messages.hasSuffix("100 %"))
    }
}
