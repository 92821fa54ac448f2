import Cabinet
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import cabinet_inspect

/// The program on a store that is one file.
struct StoreFileTests {
    final class Leaf: StoredObject {
        @Field var text = ""
    }

    private func run(_ words: [String]) async -> (
        status: cabinet_inspect.ExitStatus, output: String, said: String
    ) {
        let (output, said) = (Guarded<[String]>([]), Guarded<[String]>([]))
        let program = Program(
            print: { line in output.withLock { $0.append(line) } },
            say: { line in said.withLock { $0.append(line) } })
        let status = await program.run(words)
        return (
            status, output.withLock { $0 }.joined(separator: "\n"),
            said.withLock { $0 }.joined(separator: "\n")
        )
    }

    @Test func aFileIsShownAndCheckedAndStaysAsItIs() async throws {
        let scratch = ScratchDirectory()
        let path = scratch.file("Leaves.cabinet")
        let file = try StoreFile(
            URL(filePath: path), classes: [Leaf.self],
            workingDirectory: URL(filePath: scratch.file("Working")))
        let leaf = Leaf()
        leaf.text = "green"
        file.store.insert(leaf)
        file.metadata.title = "Autumn"
        try file.save()
        try file.close()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let info = await run(["info", path])
        #expect(info.status == .sound, "\(info.said)")
        #expect(info.output.contains("Autumn"))
        #expect(info.output.contains("Leaf"))
        let check = await run(["check", path])
        #expect(check.status == .sound, "\(check.said)")
        #expect(await run(["compact", path]).status != .sound)
        let dump = await run(["dump", path, "Leaf"])
        #expect(dump.output.contains("green"), "\(dump)")
        let whole = await run(["salvage", path, scratch.file("Whole")])
        #expect(whole.status == .sound, "\(whole)")
        var damaged = bytes
        damaged[bytes.count - 100] ^= 1
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        try damaged.write(to: URL(filePath: path))
        #expect(await run(["info", path]).status != .sound)
        let salvaged = await run(["salvage", path, scratch.file("Salvaged")])
        #expect(salvaged.status == .findings, "\(salvaged)")
        #expect(await run(["check", scratch.file("Salvaged")]).status == .sound)
        #expect(!FileManager.default.fileExists(atPath: scratch.file("Salvaged.parts")))
    }
}
