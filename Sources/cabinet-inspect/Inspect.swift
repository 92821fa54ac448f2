import Foundation

/// The program: its arguments and its output.
@main
struct Inspect {
    static func main() async {
        let program = Program(
            print: { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) },
            say: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
        exit(await program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
