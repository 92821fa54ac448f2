import Cabinet
import CabinetBackend
import Foundation
import Testing
import TrustSupport

/// A store file that is saved while other stores of its container save.
struct StoreFileBesideWritersTests {
    private final class Entry: StoredObject {
        @Field var number = 0

        override class var storageName: String { "Written_Entry" }
        override class var keepsHistory: Bool { true }
        override class var triggers: [Trigger] {
            [.after(Entry.self, named: "calls") { store, _ in store.insert(Call()) }]
        }
    }

    private final class Call: StoredObject {
        override class var storageName: String { "Written_Call" }
    }

    private let desk = Desk()

    private func open(_ name: String) throws -> StoreFile {
        try StoreFile(
            desk.url(name), classes: [Entry.self, Call.self],
            workingDirectory: desk.url("Working-" + name), log: .none)
    }

    /// Once, the file lacked all history, or calls of triggers, if a commit came at the wrong moment.
    @Test(arguments: [false, true])
    func theFileHasHistoryAndWhatItsTriggersHaveMade(inBackground: Bool) async throws {
        let file = try open("File")
        let entry = Entry()
        file.store.insert(entry)
        try file.save()
        let (id, container) = (try #require(entry.objectID), file.container)
        let isOver = Guarded(false)
        let writer = Task.detached {
            var random = SeededRandom(seed: RunSetting.seed)
            while !isOver.withLock({ $0 }) {
                try await container.write { store in try store.object(id)?.number += 1 }
                // A save looks for a moment between two commits, which a slow machine needs longer for.
                try await Task.sleep(for: .milliseconds(random.once(in: 6) ? 300 : 2))
            }
        }
        for round in 0..<RunSetting.repetitions(64) {
            try await Task.sleep(for: .milliseconds(20))
            if inBackground { try await file.saveInBackground() } else { try file.save() }
            let name = "Copy-\(round)"
            try FileManager.default.copyItem(at: desk.url("File"), to: desk.url(name))
            let copy = try open(name)
            let number = try #require(try copy.store.objects(of: Entry.self).first).number
            let numbers = try copy.container.history(of: id).map { event -> FieldValue? in
                switch event.kind {
                case .inserted(let fields): fields.first { $0.name == "number" }?.value
                case .changed(let fields): fields.first { $0.name == "number" }?.new
                default: nil
                }
            }
            #expect(numbers == (0...number).map { .integer(Int128($0)) })
            // What was not called before is called now.
            for _ in 0..<1000 where try copy.store.count(of: Call.self) != number + 1 {
                try await Task.sleep(for: .milliseconds(5))
                try copy.store.refresh()
            }
            #expect(try copy.store.count(of: Call.self) == number + 1)
            try copy.close()
        }
        isOver.withLock { $0 = true }
        try await writer.value
        try file.save()
        try file.close()
    }
}
