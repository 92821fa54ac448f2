import CLibrary
import CabinetBackend
import CabinetTokyo

/// A program that opens a store for reading, says `O`, and does nothing until it is killed.
package struct ReaderRun {
    package var directory: String

    package init(directory: String) { self.directory = directory }

    package init?(arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "read" else { return nil }
        directory = arguments[1]
    }

    /// Starts the program, which uses `temporary` for temporary files, and returns once the store is
    /// open.
    package func start(_ program: String, temporary: String) throws -> ChildProcess {
        let child = try ChildProcess(
            "/usr/bin/env", ["TMPDIR=" + temporary, program, "read", directory])
        guard child.nextLine() == "O" else { throw LedgerFailure("the reader did not open it") }
        return child
    }

    /// The program's part.
    package func work(say: (String) -> Void) throws {
        let backend = try TokyoBackend(path: directory, access: .readOnly)
        say("O")
        while !backend.location.isEmpty { sleep(1000) }
    }
}
