import Foundation

/// The program: its arguments, its terminal and its disk.
@main
struct Playlists {
    static func main() {
        let program = Program(
            console: .standard(), input: { readLine() },
            inputIsTerminal: isatty(STDIN_FILENO) == 1, open: LibraryPlace.open)
        exit(program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
