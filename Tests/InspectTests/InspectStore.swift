import CabinetBackend
import CabinetTokyo
import Foundation

@testable import cabinet_inspect

/// A temporary store, and the program with its output caught.
final class InspectStore {
    let directory: String
    var path: String { directory + "/Music" }

    /// What was printed and said.
    final class Caught: Sendable {
        let output = Guarded<[String]>([])
        let messages = Guarded<[String]>([])
    }

    init() {
        directory =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("cabinet-inspect-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Two saves: the class Song with the rows 2 and 3, and a name; then row 4, without row 2.
    func make() throws {
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(
            TableDefinition(number: 2, kind: .record, name: "Song", classNumber: 7, classVersion: 4)
        )
        try put("first", at: 2, batch)
        try put("second", at: 3, batch)
        try Array("Favorite".utf8).withUnsafeBytes { key in
            try batch.put(UnsafeRawBufferPointer(rebasing: key[..<3]), for: key, in: .namedBuffers)
        }
        try backend.commit(batch)
        let next = backend.makeBatch()
        try put("third", at: 4, next)
        try next.deleteRow(2, in: 2)
        try backend.commit(next)
        try backend.close()
    }

    private func put(_ text: String, at row: RowID, _ batch: WriteBatch) throws {
        let buffer = batch.beginRecord(row, in: 2)
        Array(text.utf8).withUnsafeBytes { buffer.writeRawBytes($0) }
        try batch.endRecord()
    }

    func run(_ words: String...) async -> (status: ExitStatus, output: [String], messages: String) {
        await run(words)
    }

    /// Runs the program, and gives what it printed.
    func run(_ words: [String]) async -> (status: ExitStatus, output: [String], messages: String) {
        let caught = Caught()
        let status = await Program(
            print: { line in caught.output.withLock { $0.append(line) } },
            say: { line in caught.messages.withLock { $0.append(line) } }
        ).run(words)
        return (
            status, caught.output.withLock { $0 },
            caught.messages.withLock { $0.joined(separator: "\n") }
        )
    }

    /// The lines as JSON objects.
    static func objects(_ lines: [String]) throws -> [[String: Any]] {
        try lines.map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
    }

    /// Flips a bit of the first occurrence of `text` in a file.
    func damage(_ text: String, in file: String) throws {
        let url = URL(fileURLWithPath: path + "/" + file)
        var bytes = try Data(contentsOf: url)
        guard let range = bytes.range(of: Data(text.utf8)) else {
            throw CocoaError(.fileReadUnknown)
        }
        bytes[range.lowerBound] ^= 4
        try bytes.write(to: url)
    }

    /// The names of all files with their bytes.
    func content() throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            content[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return content
    }
}
