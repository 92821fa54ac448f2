import CFuzzer
import FuzzTargets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Feeds one of the fuzz targets with whatever libFuzzer thinks of: `Fuzzer TARGET [OPTION…]`.
@main
struct Fuzzer {
    /// Set once, before the only thread there is begins to fuzz.
    private nonisolated(unsafe) static var target = FuzzTarget.dataBuffer

    static func main() {
        guard CommandLine.argc > 1, let target = FuzzTarget(rawValue: CommandLine.arguments[1])
        else {
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
}
