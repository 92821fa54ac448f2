import CLibrary
import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Every operation of a compaction that spills, merges in passes and takes blocks over, made to
/// fail in turn.
struct CompactorFaultTests {
    let directory = ScratchDirectory(inMemory: false)
    let limits = Compactor.Limits(run: 2048, fanIn: 2, block: 400)

    private func history() throws -> (
        old: StoreModel, segments: [MemorySegment], new: StoreModel
    ) {
        var log = LogModel(seed: 11)
        let first = try log.segment(commits: 8)
        let old = log.store
        _ = try Compactor.compact(
            files: SystemFiles(), directory: directory.path, snapshot: nil, segments: [first],
            into: directory.file("Old"), commitNumber: old.commitNumber, storeID: 77, limits: limits
        )
        return (old, [try log.segment(commits: 7), try log.segment(commits: 5)], log.store)
    }

    private func compact(
        _ segments: [MemorySegment], _ commitNumber: CommitNumber, files: any FileLayer
    ) throws(BackendError) {
        for segment in segments { segment.rewind() }
        _ = try Compactor.compact(
            files: files, directory: directory.path, snapshot: directory.file("Old"),
            segments: segments, into: directory.file("New"), commitNumber: commitNumber,
            storeID: 77,
            limits: limits)
    }

    private func contents(of name: String) throws -> [Stored] {
        let reader = try SnapshotReader(
            files: SystemFiles(), path: directory.file(name), expectedStoreID: 77)
        #expect(try reader.verify())
        return try reader.contents()
    }

    @Test(arguments: [
        FaultyFiles.Fault.error(ENOSPC), .shortWrite(ENOSPC), .error(EIO),
        .doneButReported(EIO), .killed,
    ])
    func noFailureLeavesHalfASnapshotUnderItsName(_ fault: FaultyFiles.Fault) throws {
        let (old, segments, new) = try history()
        let counting = FaultyFiles()
        try compact(segments, new.commitNumber, files: counting)
        let total = counting.count
        #expect(total > 60)
        var failures = 0
        for index in 0..<total {
            try SystemFiles().remove(directory.file("New"))
            let faulty = FaultyFiles { at, _, _ in at == index ? fault : nil }
            var failure: BackendError?
            do throws(BackendError) {
                try compact(segments, new.commitNumber, files: faulty)
            } catch {
                failure = error
            }
            #expect(try contents(of: "Old") == old.sorted(), "\(fault) at \(index)")
            let names = try SystemFiles().list(directory.path)
            if names.contains("New") {
                #expect(try contents(of: "New") == new.sorted(), "\(fault) at \(index)")
            } else {
                #expect(failure != nil, "\(fault) at \(index)")
            }
            if failure != nil { failures += 1 }
            // Whatever else is there is known for garbage.
            let leftovers = names.filter { !["Old", "New"].contains($0) }
            #expect(leftovers.allSatisfy(Compactor.isLeftover), "\(fault) at \(index)")
            #expect(fault == .killed || leftovers.count <= 1, "\(fault) at \(index)")
            for name in leftovers { try SystemFiles().remove(directory.file(name)) }
        }
        #expect(failures > total / 2)
        // Once the fault is over the same compaction succeeds.
        try compact(segments, new.commitNumber, files: SystemFiles())
        #expect(try contents(of: "New") == new.sorted())
        #expect(try SystemFiles().list(directory.path) == ["New", "Old"])
    }

    @Test func damageToTheOldSnapshotIsReportedNotMerged() throws {
        let (_, segments, new) = try history()
        let files = SystemFiles()
        let file = try files.open(directory.file("Old"), for: .writing)
        let size = try files.size(of: file)
        for offset in stride(from: 0, to: size, by: 31) {
            let good = try files.readBytes(1, from: file, at: offset)
            try files.write([good[0] ^ 0x10], to: file, at: offset)
            var failure: BackendError?
            do throws(BackendError) {
                try compact(segments, new.commitNumber, files: files)
            } catch {
                failure = error
            }
            if case .corrupt(directory.file("Old"), _) = failure {
                // As it should be.
            } else {
                // Only blocks of a table that was dropped since are not looked at.
                #expect(failure == nil)
                #expect(try contents(of: "New") == new.sorted(), "byte \(offset)")
            }
            try files.write(good, to: file, at: offset)
        }
    }
}
