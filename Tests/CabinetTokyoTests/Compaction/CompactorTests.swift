import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

struct CompactorTests {
    let directory = ScratchDirectory(inMemory: false)
    let files = SystemFiles()

    @discardableResult
    private func compact(
        _ segments: [MemorySegment], over old: String? = nil, into name: String,
        commitNumber: CommitNumber, limits: Compactor.Limits = Compactor.Limits()
    ) throws -> Compactor.Progress? {
        for segment in segments { segment.rewind() }
        return try Compactor.compact(
            files: files, directory: directory.path, snapshot: old.map(directory.file),
            segments: segments, into: directory.file(name), commitNumber: commitNumber, storeID: 77,
            limits: limits)
    }

    private func expect(_ name: String, toHold model: StoreModel, _ comment: Comment) throws {
        let reader = try SnapshotReader(
            files: files, path: directory.file(name), expectedStoreID: 77)
        #expect(try reader.contents() == model.sorted(), comment)
        #expect(reader.tables.map(\.state) == model.states, comment)
        #expect(reader.highestTable == model.highestTable, comment)
        #expect(reader.commitNumber == model.commitNumber, comment)
        #expect(try reader.verify(), comment)
    }

    /// Runs of a few hundred bytes, merged two or three at a time, so that everything is spilled
    /// and merged in several passes.
    @Test(arguments: RunSetting.seeds(40))
    func aSnapshotHoldsTheLastWordOnEverything(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let limits = Compactor.Limits(
            run: Int.random(in: 256...3000, using: &random),
            fanIn: Int.random(in: 2...4, using: &random),
            block: Int.random(in: 1...600, using: &random))
        var log = LogModel(seed: seed)
        var segments: [MemorySegment] = []
        var old: String?
        for round in 1...4 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                segments.append(try log.segment(commits: 12))
            }
            // Segments that the old snapshot holds already may still be there.
            let known = Bool.random(using: &random) ? segments : segments.suffix(3)
            let used = old == nil ? segments : known
            try compact(
                used, over: old, into: "Snapshot.\(round)", commitNumber: log.store.commitNumber,
                limits: limits)
            try expect("Snapshot.\(round)", toHold: log.store, "seed \(seed), round \(round)")
            old = "Snapshot.\(round)"
        }
        let names = try files.list(directory.path)
        #expect(names == (1...4).map { "Snapshot.\($0)" })
    }

    @Test func withRoomEnoughNothingIsSpilled() throws {
        var log = LogModel(seed: 5)
        let segments = [try log.segment(commits: 50), try log.segment(commits: 50)]
        let recording = RecordingFiles()
        _ = try Compactor.compact(
            files: recording, directory: directory.path, snapshot: nil, segments: segments,
            into: directory.file("Snapshot"), commitNumber: log.store.commitNumber, storeID: 77)
        try expect("Snapshot", toHold: log.store, "one run")
        let opened = recording.events.filter { if case .open = $0 { true } else { false } }
        #expect(opened.count == 1)
    }

    @Test func aSnapshotIsSyncedBeforeItHasItsName() throws {
        var log = LogModel(seed: 6)
        let recording = RecordingFiles()
        let path = directory.file("Snapshot")
        _ = try Compactor.compact(
            files: recording, directory: directory.path, snapshot: nil,
            segments: [try log.segment(commits: 9)], into: path,
            commitNumber: log.store.commitNumber, storeID: 77)
        let last = recording.events.suffix(4)
        #expect(last.first == .sync(file: 0))
        #expect(last.dropFirst().first == .rename(path: path + ".new", newPath: path))
        #expect(last.dropFirst(2).first == .syncDirectory(path: directory.path))
        #expect(Compactor.isLeftover("Snapshot.new"))
        #expect(Compactor.isLeftover("Run.12.new"))
        #expect(!Compactor.isLeftover("Snapshot"))
    }

    @Test func commitsBehindTheNumberAskedForAreLeftOut() throws {
        var log = LogModel(seed: 7)
        let first = try log.segment(commits: 20)
        let model = log.store
        let second = try log.segment(commits: 20)
        try compact([first, second], into: "Snapshot", commitNumber: model.commitNumber)
        try expect("Snapshot", toHold: model, "half of the log")
    }

    @Test func aRecordLargerThanARunIsKept() throws {
        var model = StoreModel()
        model.commitNumber = 1
        let batch = WriteBatch()
        try model.define(TableDefinition(number: 2, kind: .record, name: "Photo"), in: batch)
        for row in 2..<9 as Range<RowID> {
            try model.put(
                [UInt8](repeating: UInt8(row.rawValue), count: row.rawValue % 2 == 0 ? 9000 : 3),
                row: row, in: 2,
                batch)
        }
        let segment = MemorySegment()
        segment.add(batch, 1)
        let limits = Compactor.Limits(run: 512, fanIn: 2, block: 100)
        try compact([segment], into: "Snapshot", commitNumber: 1, limits: limits)
        try expect("Snapshot", toHold: model, "large records")
    }

    @Test func aTableOnceDroppedIsNeverUsedAgain() throws {
        let song = TableDefinition(number: 5, kind: .record, name: "Song")
        var model = StoreModel()
        model.commitNumber = 1
        let batch = WriteBatch()
        try model.define(song, in: batch)
        try model.drop(5, in: batch)
        let segment = MemorySegment()
        segment.add(batch, 1)
        try compact([segment], into: "Snapshot", commitNumber: 1)
        try expect("Snapshot", toHold: model, "dropped")
        try batch.define(song)
        segment.add(batch, 2)
        #expect(throws: BackendError.noTable(5)) {
            try compact([segment], into: "Again", commitNumber: 2)
        }
        #expect(try files.list(directory.path) == ["Snapshot"])
    }

    @Test func operationsWithoutATableAreRefused() throws {
        let batch = WriteBatch()
        try batch.deleteRow(2, in: 9)
        let segment = MemorySegment()
        segment.add(batch, 1)
        #expect(throws: BackendError.noTable(9)) {
            try compact([segment], into: "S", commitNumber: 1)
        }
        // The catalog has names, not rows.
        let other = WriteBatch()
        try other.deleteRow(2, in: .catalog)
        let second = MemorySegment()
        second.add(other, 1)
        #expect(throws: BackendError.noTable(0)) {
            try compact([second], into: "S", commitNumber: 1)
        }
    }

    @Test func cancellingLeavesNothingBehind() throws {
        var log = LogModel(seed: 8)
        let segment = try log.segment(commits: 600)
        for calls in 0... where RunSetting.isTurn(of: calls) {
            var count = 0
            segment.rewind()
            let result = try Compactor.compact(
                files: files, directory: directory.path, snapshot: nil, segments: [segment],
                into: directory.file("Snapshot"), commitNumber: log.store.commitNumber, storeID: 77,
                limits: Compactor.Limits(run: 4096, fanIn: 3, block: 512)
            ) { _ in
            } isCancelled: {
                count += 1
                return count > calls
            }
            if result != nil { break }
            #expect(try files.list(directory.path).isEmpty, "after \(calls) calls")
        }
        try expect("Snapshot", toHold: log.store, "not cancelled")
    }
}
