import Foundation

/// The program: its arguments and its terminal.
@main
struct Playlists {
    static func main() {
        let program = Program(
            console: .standard(), input: { readLine() },
            inputIsTerminal: isatty(STDIN_FILENO) == 1,
            open: { directory, _ in throw LibraryError.noLibrary(path: directory.path) })
        exit(program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
