import CabinetBackend
import CabinetTokyo
import TrustSupport

enum SegmentAttempt {
    /// Reads the log segment that `bytes` are as it is, and once more with its sums made right.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var content = Array(bytes)
        read(content)
        SumRepair.segment(&content, places: true)
        read(content)
    }

    private static func read(_ content: [UInt8]) {
        let number = content.count >= 32 ? content.long(at: 24) : 1
        do throws(BackendError) {
            let segment = try SegmentReader(
                files: MemoryFiles(content), path: "segment", number: number, store: nil)
            let reader = CommitReader(segment)
            try readItems(reader, upTo: segment.limit)
            let evidence = try segment.evidence(from: reader.offset)
            precondition(content.count >= 208 || evidence.writtenCommit == 0)
        } catch {
            precondition(error.isOfDamage, "Not an error of damage: \(error)")
        }
    }

    private static func readItems(
        _ reader: CommitReader, upTo limit: UInt64
    ) throws(BackendError) {
        var before = reader.offset
        while let item = try reader.next() {
            precondition(reader.offset > before && reader.offset <= limit)
            precondition(reader.goodEnd == reader.offset, "An item that stands for nothing")
            before = reader.offset
            guard case .commit(let commit) = item else { continue }
            precondition(commit.start < before)
            // A commit whose operations make no sense does not keep the next from being read.
            do throws(BackendError) {
                try commit.forEachOperation { OperationAttempt.touch($0) }
                let notes = try commit.notes()
                precondition(notes.isEmpty || commit.header.flags.contains(.hasNotes))
            } catch {
                precondition(error.isOfDamage, "Not an error of damage: \(error)")
            }
        }
        precondition(reader.goodEnd <= reader.offset && reader.offset <= limit)
    }
}

extension BackendError {
    /// Whether it is what bytes from anywhere may lead to.
    var isOfDamage: Bool {
        switch self {
        case .corrupt, .newerFormat, .olderFormat: true
        // Memory for what a header claims may not be there.
        case .system(_, _, let code): code == 12
        default: false
        }
    }
}
