import Foundation
import Testing

@testable import cabinet_inspect

struct KeyTests {
    private let store = InspectStore()

    /// A file with a key.
    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = store.directory + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func whatIsNoKeyIsNotUnderstood() async throws {
        try store.make()
        let short = try file("short", Array(1...31))
        let wrong = try file("wrong", Array(String(repeating: "0g", count: 32).utf8))
        for words in [
            ["encrypt", store.path, store.directory + "/To"],
            ["encrypt", store.path, store.directory + "/To", "--key-file", short],
            ["encrypt", store.path, store.directory + "/To", "--key-file", wrong],
            ["encrypt", store.path, store.directory + "/To", "--key-file", "/nowhere/key"],
            ["encrypt", store.path, store.directory + "/To", "--ask-passphrase"],
            ["info", store.path, "--key-file"],
            ["info", store.path, "--key-file", short, "--ask-passphrase"],
            ["rotate", store.path],
        ] {
            #expect(await store.run(words).status != .sound, "\(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: store.directory + "/To"))
    }

    /// Once, standard input without a terminal was taken for an empty passphrase.
    @Test func anEmptyPassphraseSealsNothing() async throws {
        try store.make()
        let to = store.directory + "/To"
        let program = Program(print: { _ in }, say: { _ in }, ask: { _ in "" })
        let status = await program.run(["encrypt", store.path, to, "--ask-passphrase"])
        #expect(status != .sound)
        #expect(!FileManager.default.fileExists(atPath: to))
    }

    #if Encryption
        @Test func aStoreIsTheSameSealedAndBack() async throws {
            try store.make()
            let key = try file("key", Array(1...32))
            let digits = (1...32).map { String($0, radix: 16) }
                .map { $0.count == 1 ? "0" + $0 : $0 }.joined()
            let text = try file("text", Array((digits + "\n").utf8))
            let other = try file("other", Array(2...33))
            let (sealed, back) = (store.directory + "/Sealed", store.directory + "/Back")
            #expect(
                await store.run("encrypt", store.path, sealed, "--key-file", key).status == .sound)
            for place in [[store.path], [sealed, "--key-file", text]] {
                for command in [["dump", "Song", "--hex"], ["names"]] {
                    let words = [command[0], place[0]] + command.dropFirst() + place.dropFirst()
                    let found = await store.run(words)
                    #expect(
                        found.output
                            == (await store.run(
                                [command[0], store.path] + command.dropFirst())).output,
                        "\(found.messages)")
                }
            }
            #expect(await store.run("info", sealed).messages.contains("sealed"))
            #expect(await store.run("info", sealed, "--key-file", other).status == .failed)
            #expect(await store.run("check", sealed, "--key-file", key).status == .sound)
            #expect(
                await store.run("rotate", sealed, "--key-file", key, "--new-key-file", other)
                    .status == .sound)
            #expect(await store.run("info", sealed, "--key-file", key).status == .failed)
            #expect(await store.run("reencrypt", sealed, "--key-file", key).status == .failed)
            #expect(await store.run("reencrypt", store.path).status == .failed)
            let keys = FileManager.default.contents(atPath: sealed + "/Journal/Key")
            let done = await store.run("reencrypt", sealed, "--key-file", other)
            #expect(done.status == .sound && done.output.first?.contains("opens nothing") == true)
            #expect(FileManager.default.contents(atPath: sealed + "/Journal/Key") != keys)
            #expect(await store.run("check", sealed, "--key-file", other).status == .sound)
            #expect(
                await store.run("decrypt", sealed, back, "--key-file", other).status == .sound)
            #expect(
                await store.run("dump", back, "Song", "--hex").output
                    == (await store.run("dump", store.path, "Song", "--hex")).output)
        }
    #endif
}
