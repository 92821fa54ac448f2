import CLibrary
import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

/// A document whose machine loses power at every moment: each file is the former or the new one, and what was
/// acknowledged is in the store.
struct StoreFileCutTests {
    private struct Scene {
        let directory = ScratchDirectory()
        let durability: Durability
        let hasPackages: Bool

        func path(_ name: String) -> String {
            let path = directory.file(name + ".cabinet")
            return hasPackages ? path + "/" + StoreFilePlace.contentName : path
        }

        func open(
            _ name: String, _ working: String = "Working", _ files: any FileLayer,
            discards: Bool = false
        ) throws -> WorkingStore.Opened {
            var options = WorkingStore.Options()
            (options.durability, options.discards) = (durability, discards)
            let deadline = Date() + 20
            while true {
                do {
                    return try WorkingStore.open(
                        path(name), in: WorkingDirectories(directory.file(working), files: files),
                        options, log: .none)
                } catch BackendError.busy(let place, _)
                    where place != path(name) && Date() < deadline
                {
                    usleep(2_000)
                }
            }
        }

        /// `nil`: there is no file.
        func saved(_ name: String, _ files: any FileLayer) throws -> Int? {
            guard try files.status(of: path(name)) != nil else { return nil }
            let opened = try open(name, "Look", files, discards: true)
            defer { try? opened.working.finish(discarding: true) }
            try #require(opened.report == nil)
            return try Self.number(in: opened.working)
        }

        static func number(in working: WorkingStore) throws -> Int {
            let backend = working.backend
            guard try backend.tables().contains(where: { $0.number == 2 }) else { return 0 }
            let buffer = DataBuffer()
            guard try backend.value(of: 2, in: 2, into: buffer) else { return 0 }
            return Int(try buffer.readUInt64())
        }

        static func write(_ number: Int, to working: WorkingStore) throws {
            let batch = working.backend.makeBatch()
            if number == 1 {
                try batch.define(TableDefinition(number: 2, kind: .record, name: "Numbers"))
            }
            batch.beginRecord(2, in: 2).writeUInt64(UInt64(number))
            try batch.endRecord()
            try working.backend.commit(batch)
        }
    }

    /// What the notes up to a cut say.
    private struct Promises {
        /// What each file may have.
        var files: [String: Set<Int?>] = ["A": [nil], "B": [nil]]
        /// The last edit that was acknowledged, and that was begun.
        var edits = (done: 0, begun: 0)
        /// Which file the document is of; two while it moves.
        var names: Set<String> = ["A"]

        init(_ notes: [String]) {
            for note in notes {
                let words = note.split(separator: " ").map(String.init)
                let number = Int(words[2]) ?? 0
                switch words[0] {
                case "e": edits.begun = number
                case "E": edits.done = number
                case "s": files[words[1]]?.insert(number)
                case "S": files[words[1]] = [number]
                case "m":
                    files[words[1]]?.insert(number)
                    names.insert(words[1])
                default:
                    files[words[1]] = [number]
                    names = [words[1]]
                }
            }
        }
    }

    private func play(_ scene: Scene, _ films: RecordingFiles) throws {
        var number = 0
        func edit(_ working: WorkingStore) throws {
            number += 1
            films.note("e - \(number)")
            try Scene.write(number, to: working)
            films.note("E - \(number)")
        }
        let working = try scene.open("A", "Working", films).working
        try edit(working)
        films.note("s A \(number)")
        try working.save(Array("one".utf8))
        films.note("S A \(number)")
        try edit(working)
        try edit(working)
        films.note("s A \(number)")
        try working.save(Array("two".utf8))
        films.note("S A \(number)")
        try edit(working)
        films.note("m B \(number)")
        try working.move(to: scene.path("B"), [])
        films.note("M B \(number)")
        try edit(working)
        try working.finish(discarding: false)
        let again = try scene.open("B", "Working", films).working
        films.note("s B \(number)")
        try again.save([])
        films.note("S B \(number)")
        try again.finish(discarding: false)
    }

    @Test(arguments: [Durability.full, .process], [false, true])
    func aPowerCutLeavesTheFormerOrTheNewFile(
        _ durability: Durability, _ hasPackages: Bool
    ) throws {
        let scene = Scene(durability: durability, hasPackages: hasPackages)
        let films = RecordingFiles()
        try play(scene, films)
        let seed = RunSetting.seed
        var states = CutStates(
            Recording(root: scene.directory.path, events: films.events), seed: seed
        ) { path in
            let name = path.split(separator: "/").last ?? ""
            let plain = ["log", "snapshot", "Clean", "Lock", "Record", "Content", ".cabinet"]
            return !plain.contains { name.hasPrefix($0) } && !name.hasSuffix(".cabinet")
                && name != StoreFilePlace.contentName
        }
        (states.exhaustiveLimit, states.sample) = (8, 3)
        states.cutsEvery = RunSetting.share
        var (count, wrong) = (0, [String]())
        try states.visit { state in
            guard wrong.count < 3 else { return }
            count += 1
            scene.directory.clear()
            try state.image.write(below: scene.directory.path)
            do {
                if let text = try judge(scene, Promises(state.notes)) {
                    wrong.append("\(text), after operation \(state.operations): \(state.notes)")
                }
            } catch {
                wrong.append("\(error), after operation \(state.operations): \(state.notes)")
            }
        }
        #expect(wrong == [])
        #expect(count > 20)
    }

    /// What is wrong after the machine has started again; `nil`: nothing.
    private func judge(_ scene: Scene, _ promises: Promises) throws -> String? {
        let files = RebootedFiles(boot: 1)
        for name in ["A", "B"] {
            let found = try scene.saved(name, files)
            guard promises.files[name]?.contains(found) == true else {
                return "\(name) has \(found ?? -1)"
            }
        }
        // While it moves, the document is of either file.
        var best = 0
        for name in promises.names.sorted() {
            let opened = try scene.open(name, "Working", files)
            best = max(best, try Scene.number(in: opened.working))
            try opened.working.finish(discarding: false)
        }
        guard best <= promises.edits.begun else { return "the store has \(best)" }
        let least = promises.names.compactMap { name in
            promises.files[name]?.map { $0 ?? 0 }.min()
        }.min()
        let expected = scene.durability == .full ? promises.edits.done : least ?? 0
        return best >= expected ? nil : "the store has \(best)"
    }
}
