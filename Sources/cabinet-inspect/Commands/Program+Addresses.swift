import Cabinet
import CabinetBackend
import CabinetTools

extension Program {
    /// Does what the command says of a store that is in no directory, and is not changed.
    func perform(
        _ command: InspectCommand, _ invocation: Invocation, at address: StoreAddress
    ) async throws -> ExitStatus {
        guard !invocation.options.contains(.repair) else {
            throw UsageError.onlyOfDirectories(command)
        }
        let backend = try address.open(.readOnly, log: warnings)
        defer { try? backend.close() }
        // What is read stays as it is, until watch goes on to a later commit.
        let held = try backend.snapshot(label: "cabinet-inspect")
        defer { withExtendedLifetime(held) {} }
        return command == .check
            ? try await checkContent(of: backend, invocation)
            : try await show(command, of: backend, invocation)
    }
}
