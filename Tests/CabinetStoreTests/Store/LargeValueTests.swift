#if os(Linux)
    import Cabinet
    import CabinetTestSupport
    import Foundation
    import Synchronization
    import Testing

    /// A value of hundreds of megabytes is saved and read with one copy of it beside the object's.
    struct LargeValueTests {
        final class Film: StoredObject {
            @Field var pictures = Data()
        }

        private static let size = 128 << 20

        @Test func savingTakesOneCopyBesideTheValue() async {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let store = try Self.open(directory)
                let start = Self.anonymousMemory()
                let film = Film()
                // The table is new, and filled ahead of the commit.
                film.pictures = Data(repeating: 1, count: Self.size)
                store.insert(film)
                Self.expect(try Self.peak { try store.save() } - start, atMost: 2)
                // A longer one goes to another offset in the existing file.
                film.pictures = Data(repeating: 2, count: Self.size + 4096)
                Self.expect(try Self.peak { try store.save() } - start, atMost: 2)
                Self.expect(Self.anonymousMemory() - start, atMost: 1)
                try store.close()
            }
        }

        @Test func readingTakesOneCopyBesideTheValue() async {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let row = try Self.saveFilm(in: directory)
                let store = try Self.open(directory)
                let start = Self.anonymousMemory()
                let film = try store.object(Film.self, rowID: row) ?? Film()
                let peak = try Self.peak { precondition(film.pictures.count == Self.size) }
                Self.expect(peak - start, atMost: 2)
                Self.expect(Self.anonymousMemory() - start, atMost: 1)
                try store.close()
            }
        }

        /// The store's own content is the third copy there.
        @Test func aStoreInMemoryTakesOneCopyBesideTheValueAndItsOwn() async {
            await #expect(processExitsWith: .success) {
                let store = try Store(inMemory: [Film.self])
                let start = Self.anonymousMemory()
                let film = Film()
                film.pictures = Data(repeating: 1, count: Self.size)
                store.insert(film)
                Self.expect(try Self.peak { try store.save() } - start, atMost: 3)
                Self.expect(Self.anonymousMemory() - start, atMost: 2)
                try store.close()
            }
        }

        // MARK: Measuring

        private static func saveFilm(in directory: TemporaryDirectory) throws -> RowID {
            let store = try open(directory)
            let film = Film()
            film.pictures = Data(repeating: 1, count: size)
            store.insert(film)
            try store.save()
            let row = film.rowID
            try store.close()
            return row
        }

        private static func open(_ directory: TemporaryDirectory) throws -> Store {
            try Store(
                directory: URL(fileURLWithPath: directory.path), classes: [Film.self],
                durability: .process)
        }

        private static func expect(_ bytes: Int, atMost values: Int) {
            let limit = values * size + 16 << 20
            if bytes <= limit { return }
            FileHandle.standardError.write(
                Data("\(Double(bytes) / Double(size)) times the value's size\n".utf8))
            exit(1)
        }

        /// How much memory the process has that is no file's, in bytes.
        private static func anonymousMemory() -> Int {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
            guard let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first else {
                preconditionFailure("no RssAnon")
            }
            return kilobytes << 10
        }

        /// The most of it while `body` runs, looked at every millisecond.
        private static func peak(_ body: () throws -> Void) throws -> Int {
            let watch = Watch()
            let thread = Thread {
                while !watch.isOver.load(ordering: .acquiring) {
                    watch.peak.store(
                        max(watch.peak.load(ordering: .relaxed), anonymousMemory()),
                        ordering: .relaxed)
                    watch.looks.add(1, ordering: .relaxed)
                    usleep(1000)
                }
                watch.hasEnded.store(true, ordering: .releasing)
            }
            thread.start()
            while watch.looks.load(ordering: .relaxed) == 0 { usleep(100) }
            try body()
            watch.isOver.store(true, ordering: .releasing)
            while !watch.hasEnded.load(ordering: .acquiring) { usleep(100) }
            return watch.peak.load(ordering: .relaxed)
        }

        private final class Watch: Sendable {
            let peak = Atomic(0)
            let looks = Atomic(0)
            let isOver = Atomic(false)
            let hasEnded = Atomic(false)
        }
    }
#endif
