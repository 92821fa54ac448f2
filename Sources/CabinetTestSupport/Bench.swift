import CabinetBackend

/// What a rule works at: a store, and the few calls that make rules short.
final class Bench {
    let engine: EngineUnderTest
    let directory: TemporaryDirectory
    private(set) var backend: any Backend
    private var others: [any Backend] = []

    init(_ engine: EngineUnderTest) throws {
        self.engine = engine
        directory = try TemporaryDirectory()
        backend = try engine.open(directory, .readWrite)
    }

    /// Closes the store, whatever state a rule has left it in.
    func leave() { for backend in others + [backend] { try? backend.close() } }

    /// Another backend of the store, which stays open beside the first.
    func openAnother() throws -> any Backend {
        let other = try engine.open(directory, .readWrite)
        others.append(other)
        return other
    }

    /// Closes the store and opens it again.
    func reopen(_ access: Access = .readWrite) throws {
        try backend.close()
        backend = try engine.open(directory, access)
    }

    // MARK: Changing

    /// A new table, defined in a commit of its own.
    func makeTable(_ kind: TableKind = .record, _ name: String = "Song") throws -> TableNumber {
        let number = try backend.reserveTable()
        try commit { try $0.define(TableDefinition(number: number, kind: kind, name: name)) }
        return number
    }

    /// Commits what `body` writes. If `body` throws, the batch is given up.
    @discardableResult
    func commit(_ body: (WriteBatch) throws -> Void) throws -> CommitNumber {
        try backend.commit(body)
    }

    // MARK: Expecting

    func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw Unexpected(what()) }
    }

    func expectEqual<Value: Equatable>(
        _ found: Value, _ wanted: Value, _ what: @autoclosure () -> String
    ) throws {
        guard found != wanted else { return }
        throw Unexpected("\(what()): \(brief(wanted)) expected, \(brief(found)) found")
    }

    func expectEqual(
        _ found: [UInt8]?, _ wanted: [UInt8]?, _ what: @autoclosure () -> String
    ) throws {
        guard !areSame(found, wanted) else { return }
        throw Unexpected("\(what()): \(brief(wanted)) expected, \(brief(found)) found")
    }

    func expectError(
        _ wanted: BackendError, _ what: @autoclosure () -> String, _ body: () throws -> Void
    ) throws {
        do { try body() } catch let error as BackendError {
            return try expectEqual(error, wanted, what())
        }
        throw Unexpected("\(what()): \(wanted) expected, but nothing was thrown")
    }

    /// Expects a commit of what `body` writes to throw `wanted`.
    func expectRefusal(
        _ wanted: BackendError, _ what: @autoclosure () -> String,
        _ body: (WriteBatch) throws -> Void
    ) throws {
        try expectError(wanted, what()) { try commit(body) }
    }

    private func brief(_ bytes: [UInt8]?) -> String {
        guard let bytes else { return "nothing" }
        return bytes.count > 16 ? "\(bytes.count) bytes \(bytes.prefix(16))…" : "\(bytes)"
    }

    private func brief<Value>(_ value: Value) -> String {
        let text = "\(value)"
        return text.count > 200 ? text.prefix(200) + "…" : text
    }
}

/// What a rule found instead of what it wanted.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
