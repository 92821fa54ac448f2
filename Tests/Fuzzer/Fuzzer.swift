import CFuzzer
import CLibrary
import FuzzTargets

/// Feeds one of the fuzz targets with whatever libFuzzer thinks of: `Fuzzer TARGET [OPTION…]`. Or
/// writes what fuzzing begins with: `Fuzzer seeds DIRECTORY`, which has a folder for each target.
@main
struct Fuzzer {
    /// Set once, before the only thread there is begins to fuzz.
    private nonisolated(unsafe) static var target = FuzzTarget.dataBuffer

    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "seeds" { exit(writeSeeds(to: arguments[2])) }
        guard arguments.count > 1, let target = FuzzTarget(rawValue: arguments[1]) else {
            print("Fuzzer seeds DIRECTORY")
            print("Fuzzer TARGET [OPTION…], where TARGET is one of:")
            for target in FuzzTarget.allCases { print("  \(target.rawValue)") }
            exit(2)
        }
        Self.target = target
        // libFuzzer takes the first argument for the program's name.
        let code = cabinet_fuzz(CommandLine.argc - 1, CommandLine.unsafeArgv + 1) { bytes, count in
            Fuzzer.target.run(UnsafeRawBufferPointer(start: bytes, count: count))
            return 0
        }
        if code == -1 { print("Built without libFuzzer. Use: make fuzz") }
        exit(code == -1 ? 2 : code)
    }

    /// Returns what the process is to exit with.
    private static func writeSeeds(to directory: String) -> Int32 {
        for target in FuzzTarget.allCases {
            for seed in target.seeds {
                let folder = directory + "/" + target.rawValue
                mkdir(folder, 0o755)
                guard let file = fopen(folder + "/" + seed.name, "w") else { return 1 }
                let written = fwrite(seed.bytes, 1, seed.bytes.count, file)
                guard fclose(file) == 0, written == seed.bytes.count else { return 1 }
            }
        }
        return 0
    }
}
