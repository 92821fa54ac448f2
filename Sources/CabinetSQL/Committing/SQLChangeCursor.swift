import CabinetBackend

/// A walk over the commits of the feed. It keeps the number of the last one that it met.
package final class SQLChangeCursor: ChangeCursor {
    private let core: SQLCore
    private var last: CommitNumber
    /// What was read and not given yet, the next one last.
    private var read: [CommittedChanges]

    /// - Throws: ``BackendError/changesGone(oldest:)`` if some of the commits after the number are not kept.
    init(_ core: SQLCore, after number: CommitNumber) throws(BackendError) {
        self.core = core
        last = number
        read = try core.route.changes(after: number, core).reversed()
    }

    /// - Parameters:
    ///   - last: the last commit that is known.
    ///   - oldest: the commits after this one are kept.
    package static func check(
        _ number: CommitNumber, last: Int64, oldest: Int64
    ) throws(BackendError) {
        guard number.number >= oldest, number.rawValue <= UInt64(last) else {
            throw .changesGone(oldest: CommitNumber(number: oldest))
        }
    }

    /// - Parameter oldest: the commits after this one are kept.
    package static func checkIsKept(
        _ number: CommitNumber, oldest: Int64
    ) throws(BackendError) {
        if oldest >= number.number { throw .changesGone(oldest: CommitNumber(number: oldest)) }
    }

    package func next() throws(BackendError) -> CommittedChanges? {
        try core.checkOpen()
        if read.isEmpty, last < core.lastKnown {
            read = try core.route.changes(after: last, core).reversed()
        }
        guard let found = read.popLast() else { return nil }
        last = found.number
        return found
    }

    /// A commit as the table of commits has it.
    /// - Parameters:
    ///   - numbers: its time, author and size.
    ///   - operations: `nil`: they are in parts.
    package static func changes(
        _ number: CommitNumber, _ numbers: [Int64], _ operations: [UInt8]?, _ core: SQLCore
    ) -> CommittedChanges {
        let time = UInt64(bitPattern: numbers[0])
        let author = UInt32(truncatingIfNeeded: numbers[1])
        guard let operations else {
            return CommittedChanges(
                number: number, time: time, author: author, size: Int(numbers[2]),
                pieces: CommitParts(core: core, number: number))
        }
        return CommittedChanges(
            number: number, time: time, author: author, operations: operations)
    }
}

/// The operations of a large commit, part by part.
private struct CommitParts: ChangePieces {
    let core: SQLCore
    let number: CommitNumber

    func forEachPiece(
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) {
        var part: Int64 = 0
        while let bytes = try core.route.part(part, of: number, core) {
            // Outside of the transaction, as it may take its time.
            try bytes.withUnsafeBytesThrowing(body)
            part += 1
        }
    }

    func withBytes(
        _ range: Range<Int>, ofPiece number: Int,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) -> Bool {
        let bytes = try core.route.part(Int64(number), of: self.number, core)
        guard let bytes, range.upperBound <= bytes.count else {
            return false
        }
        try bytes.withUnsafeBytesThrowing { bytes throws(BackendError) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
        return true
    }
}
