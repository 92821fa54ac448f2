import Foundation

/// The program: its arguments, its terminal and its disk.
package enum Playlists {
    /// Does what the command line says, and ends the process.
    package static func main() -> Never {
        let console = Console.standard()
        let program = Program(console: console, input: .standard(console))
        exit(program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
