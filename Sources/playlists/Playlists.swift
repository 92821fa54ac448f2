import Foundation

/// The program: its arguments, its terminal and its disk.
package enum Playlists {
    /// Does what the command line says, and ends the process.
    package static func main() -> Never {
        let program = Program(
            console: .standard(), input: { readLine() },
            inputIsTerminal: isatty(STDIN_FILENO) == 1)
        exit(program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
