import Foundation

/// The program: reads its arguments, does one command, and says how it went.
@main
struct Playlists {
    static func main() {
        let console = Console.standard()
        exit(run(Array(CommandLine.arguments.dropFirst()), on: console))
    }

    /// - Returns: the exit status: 0, or 64 for a command line that was not understood.
    static func run(_ words: [String], on console: Console) -> Int32 {
        do throws(UsageError) {
            let invocation = try Invocation(words)
            let help = invocation.command.map(HelpText.lines) ?? HelpText.program
            for line in help { console.print(line) }
            return 0
        } catch {
            console.say("playlists: \(error)")
            return 64
        }
    }
}
