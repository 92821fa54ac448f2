import Foundation

/// The program: its arguments and its output.
@main
struct Inspect {
    static func main() async {
        let isSeen = isatty(STDERR_FILENO) == 1
        // A message replaces the line that shows progress.
        let clear = isSeen ? "\r\u{1B}[K" : ""
        let show: @Sendable (String) -> Void = {
            FileHandle.standardError.write(Data($0.utf8))
        }
        let program = Program(
            print: { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) },
            say: { message in
                // The place of a mistake in a query is shown below it.
                let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { Program.plain(String($0)) + "\n" }
                show(clear + lines.joined())
            }, show: isSeen ? show : nil,
            ask: { prompt in
                // Without a terminal it would read standard input, and take its end for an empty answer.
                guard let terminal = FileHandle(forReadingAtPath: "/dev/tty") else { return nil }
                try? terminal.close()
                return getpass(prompt).map { String(cString: $0) }
            })
        exit(await program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
