import Foundation

/// The program: its arguments, its terminal and its disk.
package enum Playlists {
    /// Does what the command line says, and ends the process.
    @MainActor package static func main() async -> Never {
        let console = Console.standard()
        let program = Program(console: console, input: .standard(console))
        exit(await program.runOrWatch(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
