import Cabinet
import CabinetBackend
import Foundation
import Testing
import TrustSupport

/// A store file whose classes have triggers after saves.
struct StoreFileTriggerTests {
    final class Chapter: StoredObject {
        @Field var title = ""

        override class var triggers: [Trigger] {
            [
                .after(Chapter.self, named: "log") { store, event in
                    usleep(2000)
                    let line = Line()
                    line.text = "\(event.commit)"
                    store.insert(line)
                }
            ]
        }
    }

    final class Line: StoredObject {
        @Field var text = ""
    }

    final class KeptChapter: StoredObject {
        @Field var title = ""

        override class var keepsHistory: Bool { true }
    }

    private let desk = Desk()
    private let said = Guarded<[String]>([])

    private func open(
        _ classes: [StoredObject.Type], _ migrations: [Migration] = []
    ) throws -> StoreFile {
        try StoreFile(
            desk.url(), classes: classes, migrations: migrations,
            workingDirectory: desk.url("Working"), log: log)
    }

    private var log: LogSink {
        let said = said
        return LogSink { _, message in said.withLock { $0.append(message) } }
    }

    /// Once, calls that were still to come were lost with the working directory, those that were made counted as
    /// unsaved edits, and each opening complained.
    @Test(arguments: [false, true])
    func aSaveHasWhatItsTriggersHaveMade(_ hasHistory: Bool) throws {
        let classes = [Chapter.self, Line.self] + (hasHistory ? [KeptChapter.self] : [])
        var calls = 0
        for round in 0..<5 {
            let file = try open(classes)
            #expect(file.unsavedEdits == nil && !file.isEdited, "round \(round)")
            #expect(try file.store.count(of: Line.self) == calls)
            if round != 3 {
                for number in 0...round {
                    let chapter = Chapter()
                    chapter.title = "\(round) \(number)"
                    file.store.insert(chapter)
                    if hasHistory { file.store.insert(KeptChapter()) }
                    try file.store.save()
                    calls += 1
                }
            }
            try file.save()
            #expect(!file.isEdited)
            try file.store.refresh()
            #expect(try file.store.count(of: Line.self) == calls)
            try file.save()
            try file.close()
        }
        #expect(said.withLock { $0 }.filter { $0.contains("trigger") } == [])
    }

    /// Triggers wait for migrations, which the save of the file runs.
    @Test func aSaveThatMigratesHasWhatItsTriggersHaveMade() throws {
        var file = try open([Line.self])
        file.store.insert(Line())
        try file.save()
        try file.close()
        file = try open([Chapter.self, Line.self], [Migration("nothing") { _, _ in }])
        #expect(try file.store.pendingMigrations() == ["nothing"])
        file.store.insert(Chapter())
        try file.save()
        try file.close()
        file = try open([Chapter.self, Line.self])
        #expect(try file.store.count(of: Line.self) == 2)
        #expect(said.withLock { $0 }.filter { $0.contains("trigger") } == [])
        try file.close()
    }

    /// Comes to an end only once the caller's domain has gone on.
    final class Slow: StoredObject {
        static let isOpen = Guarded(false)
        static let hasBegun = Guarded(false)

        override class var triggers: [Trigger] {
            [
                .after(Slow.self, named: "slow") { store, _ in
                    hasBegun.withLock { $0 = true }
                    while !isOpen.withLock({ $0 }) { usleep(1000) }
                    store.insert(Line())
                }
            ]
        }
    }

    /// A caller's domain with a thread of its own: other tests keep the main actor for seconds.
    private actor Editor: SerialExecutor {
        private let queue = DispatchQueue(label: "Editor")

        nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

        nonisolated func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        /// Has `body` be called between two steps of the domain.
        nonisolated func enqueue(_ body: @escaping @Sendable () -> Void) {
            queue.async(execute: body)
        }

        func insertAndSave(_ url: URL, workingDirectory: URL, log: LogSink) async throws {
            let file = try StoreFile(
                url, classes: [Slow.self, Line.self], workingDirectory: workingDirectory, log: log)
            file.store.insert(Slow())
            try await file.saveInBackground()
            #expect(!file.isEdited)
            #expect(Slow.isOpen.withLock { $0 })
            // Closing waits for it.
            Slow.isOpen.withLock { $0 = true }
            try file.close()
        }
    }

    /// Once, it waited for triggers on the caller's thread.
    @Test func aSaveInBackgroundWaitsForTriggersElsewhere() async throws {
        let editor = Editor()
        Thread.detachNewThread {
            while !Slow.hasBegun.withLock({ $0 }) { usleep(1000) }
            usleep(30_000)
            editor.enqueue { Slow.isOpen.withLock { $0 = true } }
        }
        try await editor.insertAndSave(
            desk.url(), workingDirectory: desk.url("Working"), log: log)
        let again = try open([Slow.self, Line.self])
        #expect(try again.store.count(of: Line.self) == 1)
        #expect(said.withLock { $0 }.filter { $0.contains("trigger") } == [])
        try again.close()
    }
}
