import CLibrary
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Walks over the commits behind one, beside faults, damage and other threads.
struct LogChangesFaultTests: ChangesScene {
    let directory = ScratchDirectory(inMemory: true)

    /// The commits that a failed sync left in doubt are copied to the next segment.
    @Test func tellOnceWhatAFailedSyncHadWrittenTwice() throws {
        let files = FaultyFiles()
        let backend = try TokyoBackend(path: path, durability: .process, files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try backend.commit(batch)
        try save(2...4, backend)
        let isDone = Guarded(false)
        files.replacePlan { _, operation, path in
            guard operation == .sync, path.contains("/log-0") else { return nil }
            return isDone.withLock { isDone in
                defer { isDone = true }
                return isDone ? nil : .error(EIO)
            }
        }
        #expect(throws: BackendError.self) { try backend.sync() }
        files.replacePlan(nil)
        try save(5...6, backend)
        #expect(try segments().count == 2)
        for number in 1...5 as ClosedRange<RowID> {
            let walk = try backend.logChanges(after: Self.commit(of: number))
            #expect(try tellAll(walk) == told(number.next...6))
        }
        try backend.close()
    }

    @Test func sayWhereTheLogIsDamaged() throws {
        let backend = try start()
        try save(2...9, backend)
        let log = path + "/Journal/log-0000000000000001"
        let bytes = try #require(FileManager.default.contents(atPath: log))
        let place = try #require(bytes.range(of: Data("song 5".utf8))).lowerBound
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: log))
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: [0])
        try handle.close()
        let walk = try backend.logChanges(after: 1)
        for number in 2...4 as ClosedRange<CommitNumber> {
            #expect(try walk.next()?.number == number)
        }
        for _ in 0..<2 { #expect(throws: BackendError.self) { try walk.next() } }
        // Of what is passed over the headers count.
        #expect(try tellAll(backend.logChanges(after: 5)) == told(6...9))
        try backend.close()
    }

    @Test func areToldWholeWhileThreadsSaveAndCompact() throws {
        let backend = try start()
        let failures = Guarded<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            do {
                switch index {
                case 0, 1:
                    for row in 0..<150 as Range<UInt32> {
                        let batch = backend.makeBatch()
                        batch.author = UInt32(index)
                        try batch.put("song", at: RowID(2 + row * 2 + UInt32(index)), in: 2)
                        try batch.note(UInt8(index), "\(row)")
                        try backend.commit(batch)
                    }
                case 2: for _ in 0..<6 { try backend.compact() }
                default:
                    var last: CommitNumber = 0
                    while last < 301 {
                        do throws(BackendError) {
                            let walk = try backend.logChanges(after: last)
                            while let commit = try walk.next() {
                                let notes = commit.notes.count
                                if commit.number != last.next || notes != 1 && last > 0 {
                                    let text = "\(commit.number) after \(last)"
                                    failures.withLock { $0.append(text) }
                                }
                                last = commit.number
                            }
                        } catch .changesGone(let oldest) {
                            last = oldest
                        } catch {
                            throw error
                        }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(index): \(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try backend.rows(in: 2).count == 300)
        try backend.close()
    }
}
