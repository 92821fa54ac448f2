import Cabinet
import CabinetBackend
import CabinetTokyo
import CabinetTools
import Foundation

/// The program as a value: everything it needs of the world, and nothing else.
struct Program: Sendable {
    /// Writes a line of what was asked for.
    let print: @Sendable (String) -> Void
    /// Writes a line about the work.
    let say: @Sendable (String) -> Void
    /// Writes text as it is to the terminal; `nil` if standard error is no terminal.
    var show: (@Sendable (String) -> Void)?
    /// Asks a person for a passphrase; `nil` from it: there is nobody to ask.
    var ask: (@Sendable (String) -> String?)?
    /// The key of the store that is opened.
    var key: StoreKey?

    /// Does what the command line says.
    func run(_ words: [String]) async -> ExitStatus {
        do {
            let invocation = try Invocation(words)
            guard let command = invocation.command, !invocation.wantsHelp else {
                for line in invocation.command.map(HelpText.lines) ?? HelpText.program {
                    print(line)
                }
                return .sound
            }
            var program = self
            program.key = try givenKey(invocation)
            return try await program.perform(command, invocation)
        } catch {
            say("cabinet-inspect: \(Self.text(of: error))")
            return Self.status(of: error)
        }
    }

    private func perform(
        _ command: InspectCommand, _ invocation: Invocation
    ) async throws -> ExitStatus {
        let address = try StoreAddress(invocation.operands[0])
        if [.convert, .encrypt, .decrypt].contains(command) {
            guard case .directory(let path) = address, let file = Self.storeFile(at: path) else {
                return try await convert(address, invocation)
            }
            return try await withStore(ofFile: file) { directory in
                try await convert(.directory(directory), invocation)
            }
        }
        guard case .directory(let first) = address else {
            return try await perform(command, invocation, at: address)
        }
        let isWriting = invocation.isWriting
        if let file = Self.storeFile(at: first) {
            if isWriting { throw UsageError.notOfFiles(command) }
            if command == .salvage { return try await salvage(file, invocation) }
            if command == .info, !invocation.wantsJSON { try describe(file: file) }
            return try await withStore(ofFile: file) { directory in
                try await perform(command, invocation, inDirectory: directory)
            }
        }
        return try await perform(command, invocation, inDirectory: first)
    }

    private func perform(
        _ command: InspectCommand, _ invocation: Invocation, inDirectory first: String
    ) async throws -> ExitStatus {
        let isWriting = invocation.isWriting
        switch command {
        case .salvage: return try await salvage(first, invocation)
        case .check:
            return try await check(first, invocation, isWriting ? .readWrite : .readOnly)
        default: break
        }
        let backend = try open(first, isWriting ? .readWrite : .readOnly)
        let status: ExitStatus
        do {
            status =
                switch command {
                case .info: try await info(backend, invocation)
                case .backup: try await backup(backend, invocation)
                case .compact: try await compact(backend, invocation)
                case .log: try commitLog(backend, invocation)
                case .rotate: try rotate(backend, invocation)
                case .reencrypt: try await reencrypt(backend, invocation)
                default: try await show(command, of: backend, invocation)
                }
        } catch {
            // What failed counts, not what closing has to say after it.
            try? backend.close()
            throw error
        }
        try backend.close()
        return status
    }

    /// Does what any engine can.
    func show(
        _ command: InspectCommand, of backend: any Backend, _ invocation: Invocation
    ) async throws -> ExitStatus {
        switch command {
        case .dump: try dump(backend, invocation)
        case .query, .explain: try query(backend, invocation)
        case .watch: try await watch(backend, invocation)
        case .search: try search(backend, invocation)
        case .schema: try schema(backend, invocation)
        case .graph: try graph(backend, invocation)
        case .referrers: try referrers(backend, invocation)
        case .names: try names(backend, invocation)
        case .history: try history(backend, invocation)
        case .asof: try asOf(backend, invocation)
        case .diff: try diff(backend, invocation)
        case .info, .check, .salvage, .backup, .compact, .log, .convert, .encrypt, .decrypt,
            .rotate, .reencrypt:
            throw UsageError.onlyOfDirectories(command)
        }
    }

    /// Opens a store that must be there.
    func open(_ path: String, _ access: Access) throws -> TokyoBackend {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw BackendError.noStore(path: path)
        }
        guard isDirectory.boolValue else { throw BackendError.notAStore(path: path) }
        guard !Self.isEmpty(path) else { throw BackendError.noStore(path: path) }
        return try TokyoBackend(path: path, access: access, key: key, log: warnings)
    }

    /// Says what an engine warns of.
    var warnings: LogSink {
        let say = say
        return LogSink { level, message in if level >= .warning { say(message) } }
    }

    /// Opens a store that must be there, whatever keeps it. Nothing of it is changed.
    func openToRead(_ address: StoreAddress) throws -> any Backend {
        guard case .directory(let path) = address else {
            return try address.open(.readOnly, log: warnings)
        }
        return try open(path, .readOnly)
    }

    private static func isEmpty(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) ?? false
    }

    /// Writes an answer, as JSON or as text.
    func answer(
        _ invocation: Invocation, _ value: @autoclosure () -> JSONValue,
        _ lines: @autoclosure () -> [String]
    ) {
        if invocation.wantsJSON {
            print(value().written)
        } else {
            for line in lines() { print(Self.plain(line)) }
        }
    }

    /// A line in which nothing steers the terminal, whatever names and texts a store holds.
    static func plain(_ line: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
        }
        guard line.unicodeScalars.contains(where: isControl) else { return line }
        var result = ""
        for scalar in line.unicodeScalars {
            if isControl(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func status(of error: any Error) -> ExitStatus {
        if error is UsageError || error is KeyFileError || error is StoreAddressError {
            return .notUnderstood
        }
        if case BackendError.busy = error { return .inUse }
        return .failed
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case BackendError.busy(let path, let holder):
            "The store at \(path) is in use\(holder.isEmpty ? "" : " by \(holder)"). "
                + "Close it there and try again."
        case BackendError.system("mkdir", let path, EEXIST):
            "There is something at \(path) already. Name another place."
        case let error as BackendError: error.description
        default: "\(error)"
        }
    }
}
