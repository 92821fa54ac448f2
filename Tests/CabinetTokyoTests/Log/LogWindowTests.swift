import CLibrary
import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Small frames at `.process` are stored to mapped memory. What holds of frames that are written by
/// calls holds of them.
struct LogWindowTests {
    let directory = ScratchDirectory()

    /// Counts the parts of the log that are mapped from now on.
    private func countWindows(_ files: FaultyFiles) -> Guarded<Int> {
        let count = Guarded(0)
        files.replacePlan { _, operation, _ in
            if operation == .window { count.withLock { $0 += 1 } }
            return nil
        }
        return count
    }

    private func makeStore(
        _ files: any FileLayer, _ durability: Durability = .process
    ) throws -> TokyoBackend {
        let backend = try TokyoBackend(
            path: directory.file("store"), durability: durability, files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        for row in 2..<12 as Range<RowID> { try batch.put("song \(row)", at: row, in: 2) }
        try backend.commit(batch)
        return backend
    }

    private func save(_ count: Int, to backend: TokyoBackend) throws {
        for save in 1...count { _ = try backend.put("save \(save)", at: 2, in: 2) }
    }

    @Test(.enabled(if: LogWindowTests.isPossible))
    func whatWasStoredIsReadBesideAndAfterTheStore() throws {
        let files = FaultyFiles()
        let backend = try makeStore(files)
        let windows = countWindows(files)
        // More than a window holds.
        try save(1500, to: backend)
        #expect(windows.withLock { $0 } > 2)
        let last = "save 1500"
        let image = try DiskImage(readingFrom: directory.file("store"))
        let copy = directory.file("copy")
        try SystemFiles().makeDirectory(copy)
        try image.write(below: copy)
        let other = try TokyoBackend(
            path: copy, files: WeakFiles.WithoutBootCheck(RebootedFiles()))
        #expect(try other.text(at: 2, in: 2) == last)
        try other.close()
        try backend.close()
        let again = try TokyoBackend(path: directory.file("store"))
        #expect(try again.text(at: 2, in: 2) == last)
        #expect(try again.text(at: 11, in: 2) == "song 11")
        try again.close()
    }

    @Test func atFullNothingIsMapped() throws {
        let files = FaultyFiles(wrapping: RebootedFiles())
        let backend = try makeStore(files, .full)
        let windows = countWindows(files)
        try save(50, to: backend)
        #expect(windows.withLock { $0 } == 0)
        try backend.close()
    }

    /// A store behind the new end of the file would kill the process.
    @Test func aDiscardedLargeSaveCutsTheFileAndSmallOnesGoOn() throws {
        let backend = try makeStore(SystemFiles())
        for round in 0..<5 {
            try save(20, to: backend)
            let batch = backend.makeBatch()
            let text = String(repeating: "text", count: 2500)
            for row in 0..<400 as Range<UInt32> {
                try batch.put(text, at: RowID(row % 10 + 2), in: 2)
            }
            #expect(batch.stagedChunks > 0)
            backend.discard(batch)
            _ = try backend.put("round \(round)", at: 3, in: 2)
        }
        try backend.sync()
        try save(20, to: backend)
        try backend.close()
        let again = try TokyoBackend(path: directory.file("store"))
        #expect(try again.text(at: 3, in: 2) == "round 4")
        try again.close()
    }

    /// Faults of every kind at every write: what was acknowledged stays, and the save that failed is
    /// not there.
    @Test(arguments: [
        FaultyFiles.Fault.error(EIO), .shortWrite(EIO), .doneButReported(EIO), .error(ENOSPC),
    ])
    func aStoreThatFailsFailsItsSaveAlone(_ fault: FaultyFiles.Fault) throws {
        for bad in 0..<20 {
            let files = FaultyFiles()
            let place = directory.file("store")
            let backend = try makeStore(files)
            let writes = Guarded(0)
            files.replacePlan { _, operation, path in
                guard operation == .write, path.contains("/log-") else { return nil }
                let number = writes.withLock { count in
                    count += 1
                    return count
                }
                return number == bad + 1 ? fault : nil
            }
            var last = "song 2"
            var failures = 0
            for number in 0..<30 {
                do {
                    _ = try backend.put("save \(number)", at: 2, in: 2)
                    last = "save \(number)"
                } catch {
                    failures += 1
                }
                #expect(try backend.text(at: 2, in: 2) == last)
            }
            #expect(failures == 1)
            try backend.close()
            let again = try TokyoBackend(path: place)
            #expect(try again.text(at: 2, in: 2) == last)
            try again.close()
            directory.clear()
        }
    }

    @Test(.enabled(if: LogWindowTests.isPossible))
    func aFrameIsWrittenByACallUnlessOneWasShortlyBefore() throws {
        let files = SystemFiles()
        let file = try files.open(directory.file("log"), for: .creating)
        try files.reserve(file, upTo: 1 << 20)
        var window = LogWindow()
        func isMapped(_ count: Int, at offset: UInt64, _ time: UInt64) -> Bool {
            window.place(count, in: file, at: offset, time: time, reserved: 1 << 20, files) != nil
        }
        let start: UInt64 = 1_000_000_000
        for call in 0..<5 as Range<UInt64> { #expect(!isMapped(100, at: call * 100, start)) }
        #expect(isMapped(100, at: 500, start + 1))
        #expect(isMapped(100, at: 600, start + 100_000))
        #expect(!isMapped(100, at: 700, start + 100_001))
        #expect(isMapped(100, at: 800, start + 100_002))
        // The clock was set back.
        #expect(!isMapped(100, at: 900, start))
        #expect(!isMapped(5000, at: 1000, start + 1))
        #expect(isMapped(100, at: 6000, start + 2))
        // The next window, as far as there is reserved space.
        #expect(isMapped(100, at: 65_500, start + 3))
        #expect(!isMapped(100, at: (1 << 20) - 50, start + 4))
        window.close()
    }

    @Test func onlyWhatAFileHasIsMapped() throws {
        let files = SystemFiles()
        let file = try files.open(directory.file("file"), for: .creating)
        try files.reserve(file, upTo: 10_000)
        #expect(files.window(of: file, 0..<10_001) == nil)
        #expect(files.window(of: file, 5000..<5000) == nil)
        guard let window = files.window(of: file, 5000..<10_000) else { return }
        #expect(window.covers(5000, 5000))
        #expect(!window.covers(4999, 1))
        #expect(!window.covers(9999, 2))
        try Array("a frame's bytes".utf8).withUnsafeBytes { bytes throws in
            try files.write(bytes, to: window, at: 9985)
        }
        #expect(try files.readBytes(15, from: file, at: 9985) == Array("a frame's bytes".utf8))
        #expect(try files.readBytes(4985, from: file, at: 5000).allSatisfy { $0 == 0 })
    }

    /// Whether this system and the file system of the tests' files let the log be mapped.
    private static let isPossible: Bool = {
        let directory = ScratchDirectory()
        let files = SystemFiles()
        guard let file = try? files.open(directory.file("file"), for: .creating),
            (try? files.reserve(file, upTo: 4096)) != nil
        else { return false }
        return files.window(of: file, 0..<4096) != nil
    }()
}
