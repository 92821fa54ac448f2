import Cabinet
import CabinetSQLite

extension Program {
    /// The path of a store that is a file of SQLite's: `sqlite:FILE`. `nil` for any other name.
    static func sqliteFile(_ operand: String) -> String? {
        let scheme = "sqlite:"
        guard operand.hasPrefix(scheme) else { return nil }
        return path(String(operand.dropFirst(scheme.count)))
    }

    /// Does what the command says of a file of SQLite's, which is not changed.
    func perform(
        _ command: InspectCommand, _ invocation: Invocation, onSQLite file: String
    ) async throws -> ExitStatus {
        #if SQLite
            guard !invocation.options.contains(.repair) else {
                throw UsageError.notOfSQLite(command)
            }
            let backend = try SQLiteBackend(path: file, access: .readOnly)
            defer { try? backend.close() }
            // What is read stays as it is, until watch goes on to a later commit.
            let held = try backend.snapshot(label: "cabinet-inspect")
            defer { withExtendedLifetime(held) {} }
            return command == .check
                ? try await checkContent(of: backend, invocation)
                : try await show(command, of: backend, invocation)
        #else
            throw UsageError.withoutSQLite
        #endif
    }
}
