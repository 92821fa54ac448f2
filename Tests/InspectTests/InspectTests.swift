import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation
import Testing

@testable import cabinet_inspect

struct InspectTests {
    let store = InspectStore()

    @Test(arguments: ["info", "check", "schema", "graph", "names", "log"])
    func readingChangesNothing(_ command: String) async throws {
        try store.make()
        let before = try store.content()
        for words in [[command, store.path], [command, store.path, "--json"]] {
            let result = await store.run(words)
            #expect(result.status == .sound)
            #expect(result.messages.isEmpty)
            #expect(!result.output.isEmpty)
        }
        #expect(try store.content() == before)
    }

    @Test func infoShowsTables() async throws {
        try store.make()
        let text = await store.run("info", store.path)
        #expect(text.status == .sound)
        #expect(text.output.contains { $0.hasPrefix("Song") && $0.contains("class") })
        let object = try #require(
            InspectStore.objects(await store.run("info", "--json", store.path).output).first)
        let tables = try #require(object["tables"] as? [[String: Any]])
        let song = try #require(tables.first { $0["name"] as? String == "Song" })
        #expect(song["count"] as? Int == 2)
        #expect(song["class"] as? Int == 7)
        #expect(object["lastSave"] as? Int == 2)
    }

    @Test func dumpShowsBytes() async throws {
        try store.make()
        let all = await store.run("dump", store.path, "Song")
        let lines = ["3  (written by hand)  7365636f6e64", "4  (written by hand)  7468697264"]
        #expect(all.output.sorted() == lines)
        let hex = await store.run("dump", store.path, "Song", "--hex")
        #expect(hex.output.sorted() == ["3  7365636f6e64", "4  7468697264"])
        let one = await store.run("dump", store.path, "Song", "4", "--json")
        #expect(
            one.output == [
                #"{"class":"Song","row":4,"handWritten":true,"bytes":5,"hex":"7468697264"}"#
            ])
        #expect(await store.run("dump", store.path, "Song", "2").status == .failed)
        #expect(await store.run("dump", store.path, "Song", "x").status == .notUnderstood)
        let unknown = await store.run("dump", store.path, "Singer")
        #expect(unknown.status == .failed)
        #expect(unknown.messages.contains("There are: Song."))
    }

    @Test func namesAndSavesAreListed() async throws {
        try store.make()
        #expect(await store.run("names", store.path).output == [#""Favorite"  3 bytes"#])
        let saves = try InspectStore.objects(
            await store.run("log", store.path, "--json").output)
        #expect(saves.map { $0["save"] as? Int } == [1, 2])
        let changes = try #require(saves.last?["changes"] as? [[String: Any]])
        let song = try #require(changes.first { $0["table"] as? String == "Song" })
        #expect(song["puts"] as? Int == 1)
        #expect(song["deletes"] as? Int == 1)
        #expect(await store.run("log", store.path).output.count == 2)
    }

    @Test func authorsAndNotesAreListed() async throws {
        try store.make()
        let backend = try TokyoBackend(path: store.path)
        let batch = backend.makeBatch()
        batch.author = 7
        for (tag, bytes) in [(2, Array("say \"hi\"".utf8)), (4, [0x1B, 0x5B, 0xFF])] {
            try bytes.withUnsafeBytes { try batch.note(UInt8(tag), $0) }
        }
        try backend.commit(batch)
        try backend.close()
        let saves = try InspectStore.objects(
            await store.run("log", store.path, "--json").output)
        #expect(saves[0]["author"] == nil && saves[0]["notes"] == nil)
        #expect(saves[2]["author"] as? Int == 7)
        let notes = try #require(saves[2]["notes"] as? [[String: Any]])
        #expect(notes.map { $0["tag"] as? Int } == [2, 4])
        #expect(notes.map { $0["text"] as? String } == ["say \"hi\"", nil])
        #expect(notes.map { $0["bytes"] as? String } == ["7361792022686922", "1b5bff"])
        #expect(saves[2]["authorName"] == nil)
        let line = try #require(await store.run("log", store.path).output.last)
        #expect(line.hasSuffix(#"author 7, note 2 "say \"hi\"", note 4 3 bytes"#), "\(line)")
    }

    @Test func anAuthorOfAStoreIsListedByName() async throws {
        try store.make()
        let open = try Store(directory: URL(fileURLWithPath: store.path), classes: [])
        open.author = "import"
        try open.note("why")
        open.namedBuffers["why"] = DataBuffer()
        try open.save()
        try open.close()
        let saves = try InspectStore.objects(
            await store.run("log", store.path, "--json").output)
        #expect(saves.last?["authorName"] as? String == "import")
        let line = try #require(await store.run("log", store.path).output.last)
        #expect(line.hasSuffix(#"author "import", note 1 "why""#), "\(line)")
    }

    /// Whatever the command: it is no damage, and nothing is changed.
    @Test(arguments: ["info", "check", "check --repair", "log", "names", "compact", "salvage"])
    func aNewerStoreIsSaidToBeOne(_ command: String) async throws {
        try store.make()
        let log = URL(fileURLWithPath: store.path + "/Journal/log-0000000000000001")
        var bytes = [UInt8](try Data(contentsOf: log))
        var header = try bytes.withUnsafeBytes { try SegmentHeader($0, path: "") }
        // The next one is that of a sealed store.
        header.format += 2
        bytes.replaceSubrange(..<128, with: header.bytes())
        try Data(bytes).write(to: log)
        var before = try store.content()
        before["Journal/Lock"] = nil
        var words = command.split(separator: " ").map(String.init) + [store.path]
        if command == "salvage" { words.append(store.directory + "/New") }
        let run = await store.run(words)
        #expect(run.status == .failed, "\(run)")
        #expect(run.messages.contains("Use a newer Cabinet."), "\(run)")
        var after = try store.content()
        after["Journal/Lock"] = nil
        #expect(after == before)
        #expect(!FileManager.default.fileExists(atPath: store.directory + "/New"))
    }

    @Test func aDamagedViewIsMadeAnewWhenAskedTo() async throws {
        try store.make()
        #expect(await store.run("check", store.path).status == .sound)
        try store.damage("second", in: "Song")
        let check = await store.run("check", store.path)
        #expect(check.status == .findings)
        #expect(check.output.first == "damaged-view \(store.path)/Song, table 2")
        #expect(check.output.last == "1 thing is wrong.")
        #expect(check.messages.contains("its content has changed"))
        let repaired = await store.run("check", "--repair", store.path)
        #expect(repaired.status == .sound)
        #expect(repaired.output.first == "1 view was made anew.")
        #expect(await store.run("check", store.path).status == .sound)
        #expect(await store.run("dump", store.path, "Song").output.count == 2)
    }

    @Test func aDamagedLogIsFoundAndSalvaged() async throws {
        try store.make()
        try store.damage("second", in: "Journal/log-0000000000000001")
        try FileManager.default.removeItem(atPath: store.path + "/Journal/Clean")
        let check = await store.run("check", store.path, "--json")
        #expect(check.status == .findings)
        let object = try #require(InspectStore.objects(check.output).first)
        #expect(object["sound"] as? Bool == false)
        let path = store.directory + "/Saved"
        let salvage = await store.run("salvage", store.path, path, "--json")
        #expect(salvage.status == .findings)
        let report = try #require(InspectStore.objects(salvage.output).first)
        #expect(report["complete"] as? Bool == false)
        #expect(await store.run("check", path).status == .sound)
        #expect(
            await store.run("dump", path, "Song", "--hex").output.sorted()
                == ["3  7365636f6e64", "4  7468697264"])
    }

    @Test func aBackupIsAStore() async throws {
        try store.make()
        let path = store.directory + "/Copy"
        #expect(await store.run("backup", store.path, path).status == .sound)
        #expect(await store.run("dump", path, "Song").output.count == 2)
        let again = await store.run("backup", store.path, path)
        #expect(again.status == .failed)
        #expect(again.messages.contains("already"))
    }

    @Test func whatThereIsOneOfIsCountedSo() async throws {
        try store.make()
        #expect(
            await store.run("info", store.path).output.last?
                .wholeMatch(of: /2 saves; log \d+ bytes in 1 segment, no snapshot\./) != nil)
        #expect(await store.run("compact", store.path).status == .sound)
        #expect(
            await store.run("info", store.path).output.last?
                .wholeMatch(of: /2 saves; log .*, snapshot \d+ bytes to save 2\./) != nil)
        #expect(1.counted("save") == "1 save" && 0.counted("save") == "0 saves")
    }

    @Test func compactingKeepsTheContent() async throws {
        try store.make()
        let result = await store.run("compact", store.path, "--json")
        #expect(result.status == .sound)
        #expect(await store.run("dump", store.path, "Song").output.count == 2)
        #expect(await store.run("check", store.path).status == .sound)
        #expect(await store.run("log", store.path).output.isEmpty)
    }

    /// A log in use has room for saves to come, which was counted as if it held some.
    @Test func reservedRoomIsNeitherShownNorFreed() async throws {
        try store.make()
        let before = try InspectStore.objects(await store.run("info", store.path, "--json").output)
        let known = try #require(before.first?["logBytes"] as? Int)
        // What a killed program leaves: nothing is cut off.
        let log = store.path + "/Journal/log-0000000000000001"
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try handle.truncate(atOffset: UInt64(known) + (1 << 20))
        try handle.close()
        let unclosed = await store.run("info", store.path, "--json")
        #expect(try InspectStore.objects(unclosed.output).first?["logBytes"] as? Int == known)
        let result = await store.run("compact", store.path, "--json")
        let sizes = try #require(try InspectStore.objects(result.output).first)
        let bytes = try ["bytesBefore", "bytesAfter", "bytesFreed"].map {
            try #require(sizes[$0] as? Int)
        }
        #expect(bytes[0] < known + 1000)
        #expect(bytes[2] == max(bytes[0] - bytes[1], 0))
        let again = await store.run("compact", store.path)
        #expect(
            again.output.last?
                .wholeMatch(of: /The log had \d+ bytes and has \d+: 0 bytes freed\./) != nil)
    }

    @Test func aStoreInUseIsSaidToBe() async throws {
        try store.make()
        let backend = try TokyoBackend(path: store.path)
        let result = await store.run("info", store.path)
        #expect(result.status == .inUse)
        #expect(result.messages.contains("is in use by"))
        try backend.close()
    }

    @Test func nothingIsMadeWhereThereIsNoStore() async throws {
        let path = store.directory + "/Salvaged"
        for words in [["info"], ["check"], ["compact"], ["salvage", path]] {
            let command = [words[0], store.path] + words.dropFirst()
            let result = await store.run(command)
            #expect(result.status == .failed)
            #expect(
                result.messages
                    == "cabinet-inspect: There is no store at \(store.path). Check the path.")
        }
        #expect(!FileManager.default.fileExists(atPath: store.path))
        _ = FileManager.default.createFile(atPath: store.path, contents: Data())
        let result = await store.run("info", store.path)
        #expect(result.messages.contains("is no store"))
    }

    @Test func aStoreWithoutItsLogIsFoundDamagedAndSalvaged() async throws {
        try store.make()
        try FileManager.default.removeItem(atPath: store.path + "/Journal")
        let before = try store.content()
        let check = await store.run("check", store.path)
        #expect(check.status == .findings)
        #expect(check.output.first == "missing-log \(store.path)/Journal")
        #expect(check.output.last?.contains("salvage") == true)
        let info = await store.run("info", store.path)
        #expect(info.status == .failed && info.messages.contains("salvage"))
        let path = store.directory + "/Salvaged"
        let salvage = await store.run("salvage", store.path, path)
        #expect(salvage.status == .findings)
        #expect(salvage.output.contains { $0.contains("missing-log") })
        #expect(
            await store.run("dump", path, "Song", "--hex").output.sorted()
                == ["3  7365636f6e64", "4  7468697264"])
        #expect(await store.run("check", path).status == .sound)
        #expect(try store.content() == before)
    }

    @Test func everyCommandHasHelp() async throws {
        for command in InspectCommand.allCases {
            let result = await store.run(command.rawValue, "--help")
            #expect(result.status == .sound)
            #expect(await store.run("help", command.rawValue).output == result.output)
            #expect(result.output.first?.hasPrefix("Usage: cabinet-inspect \(command)") == true)
        }
        #expect(await store.run("--help").output.contains { $0.contains("75") })
        #expect(await store.run("frobnicate").status == .notUnderstood)
        #expect(await store.run("info").status == .notUnderstood)
        #expect(await store.run("info", "a", "b").status == .notUnderstood)
        #expect(await store.run("info", "a", "--repair").status == .notUnderstood)
        #expect(await store.run().status == .notUnderstood)
    }
}
