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

    /// A file with one leaf, at `path`.
    private func make(_ path: String, _ scratch: ScratchDirectory, key: StoreKey? = nil) throws {
        let file = try StoreFile(
            URL(filePath: path), classes: [Leaf.self], key: key,
            workingDirectory: URL(filePath: scratch.file("Working")))
        let leaf = Leaf()
        leaf.text = "green"
        file.store.insert(leaf)
        file.metadata.title = "Autumn"
        try file.save()
        try file.close()
    }

    @Test(arguments: ["Leaves.cabinet", "Leaves of mine"])
    func aFileIsShownAndCheckedAndStaysAsItIs(_ name: String) async throws {
        let scratch = ScratchDirectory()
        let path = scratch.file(name)
        try make(path, scratch)
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

    /// What copies a store took a file for a directory that is none.
    @Test func aFileIsCopiedIntoADirectory() async throws {
        let scratch = ScratchDirectory()
        let (path, plain) = (scratch.file("Leaves.cabinet"), scratch.file("Plain"))
        try make(path, scratch)
        let bytes = try Data(contentsOf: URL(filePath: path))
        let converted = await run(["convert", path, plain])
        #expect(converted.status == .sound, "\(converted)")
        #expect(await run(["dump", plain, "Leaf"]).output.contains("green"))
        #if Encryption
            let (key, sealed) = (scratch.file("key"), scratch.file("Sealed"))
            try Data(1...32).write(to: URL(filePath: key))
            let encrypted = await run(["encrypt", path, sealed, "--key-file", key])
            #expect(encrypted.status == .sound, "\(encrypted)")
            #expect(await run(["dump", sealed, "Leaf"]).status == .failed)
            let shown = await run(["dump", sealed, "Leaf", "--key-file", key])
            #expect(shown.output.contains("green"), "\(shown)")
            let (file, open) = (scratch.file("Sealed.cabinet"), scratch.file("Open"))
            try make(file, scratch, key: .raw(Array(1...32)))
            #expect(await run(["decrypt", file, open]).status != .sound)
            #expect(!FileManager.default.fileExists(atPath: open))
            let decrypted = await run(["decrypt", file, open, "--key-file", key])
            #expect(decrypted.status == .sound, "\(decrypted)")
            #expect(await run(["dump", open, "Leaf"]).output.contains("green"))
        #endif
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }
}
