import Foundation
import Testing

@testable import playlists

/// Collects what is written. Not `Sendable`, as the console it belongs to.
final class Transcript {
    private(set) var output = ""
    private(set) var messages = ""
    var failure: POSIXError?

    func console(showsMarks: Bool = false) -> Console {
        Console(showsMarks: showsMarks) { channel, text in
            switch channel {
            case .output: self.output += text
            case .messages: self.messages += text
            }
            if let failure = self.failure { throw failure }
        }
    }
}

extension LineInput {
    /// - Parameter shown: called with each prompt.
    static func lines(
        _ lines: [String], isInteractive: Bool = false, shown: @escaping (String) -> Void = { _ in }
    ) -> LineInput {
        var rest = lines[...]
        return LineInput(isInteractive: isInteractive) { prompt, _ in
            shown(prompt)
            return rest.popFirst()
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
        transcript.failure = POSIXError(.ENOSPC)
        let console = transcript.console()
        console.print("a")
        transcript.failure = nil
        console.print("b")
        #expect((console.failure as? POSIXError)?.code == .ENOSPC)
        #expect(transcript.output == "a\n")
    }

    @Test func aMessageCannotSteerTheTerminal() {
        let transcript = Transcript()
        let problem = ImportError.Problem.unexpected("<\u{1B}[2J\r>")
        let error = ImportError(path: "a\u{9B}.xml", line: 3, problem: problem)
        transcript.console().complain(error, as: "playlists")
        #expect(
            transcript.messages
                == "playlists: a�.xml, line 3: Found <�[2J�>, which may not stand there.\n")
    }
}
