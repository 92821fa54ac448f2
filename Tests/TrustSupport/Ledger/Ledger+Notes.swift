import CabinetBackend
import CabinetTokyo

/// What a save of a ledger says of itself, which follows from its number alone.
extension Ledger {
    /// The number that a save's own changes state; 0 if they do not.
    static func number(of changes: [Change]) -> Int {
        for case .put(savesPlace, let value) in changes { return Int(integer(value, at: 0)) }
        return 0
    }

    /// Every fourth save has no author.
    static func author(ofSave number: Int) -> UInt32 {
        number % 4 == 0 ? 0 : UInt32(truncatingIfNeeded: number)
    }

    /// Mostly two notes; of every fifth save a longer one; of every third save none.
    static func notes(ofSave number: Int) -> [LoggedNote] {
        guard number % 3 != 0 else { return [] }
        let length = number % 5 == 0 ? 5000 : number % 7
        return [
            LoggedNote(tag: 1, bytes: Array("save \(number)".utf8)),
            LoggedNote(
                tag: UInt8(truncatingIfNeeded: number),
                bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)),
        ]
    }

    /// What the feed has to keep from a save on: from the first one on, all; every seventh moves the position
    /// to 12 saves before it. `nil`: as before.
    static func kept(fromSave number: Int, in backend: any Backend) -> KeptChanges? {
        guard number == 1 || number > 12 && number % 7 == 0,
            let position = number == 1
                ? .start : try? backend.position(of: CommitNumber(UInt64(number - 12)))
        else { return nil }
        return KeptChanges(name: keeper, position: position, limit: .max)
    }

    fileprivate static let keeper = "ledger"
}

extension WriteBatch {
    /// Adds what the save says of itself, and something that no reader knows.
    func addNotes(ofSave number: Int) throws(BackendError) {
        guard number > 0 else { return }
        author = Ledger.author(ofSave: number)
        for item in Ledger.notes(ofSave: number) {
            try item.bytes.withUnsafeBufferPointer { bytes throws(BackendError) in
                try note(item.tag, UnsafeRawBufferPointer(bytes))
                try addSkippable(0x80 | item.tag | 2, in: .catalog, UnsafeRawBufferPointer(bytes))
            }
        }
    }
}

extension TokyoBackend {
    /// What the log tells otherwise of the last saves, as far as it has them; `nil`: nothing. All
    /// commits must be saves of a ledger.
    package func disagreement(aboutNotesOf ledger: Ledger) throws -> String? {
        let start = CommitNumber(UInt64(max(ledger.saves - 12, 0)))
        var last = start
        let walk = try logChanges(after: start, orOldest: &last)
        while let commit = try walk.next() {
            last = last.next
            guard commit.number == last else { return "commit \(commit.number), not \(last)" }
            guard commit.author == Ledger.author(ofSave: Int(last.rawValue)),
                commit.notes == Ledger.notes(ofSave: Int(last.rawValue))
            else { return "save \(last) has author \(commit.author), notes \(commit.notes)" }
        }
        guard Int(last.rawValue) == ledger.saves else {
            return "the log ends with \(last), not \(ledger.saves)"
        }
        return try disagreementAboutKept()
    }

    /// Which commit is missing of those that the feed has to keep.
    private func disagreementAboutKept() throws -> String? {
        guard let kept = try keptChanges(for: Ledger.keeper),
            try lines().count == 1, try kept.position.holds(in: lines(), upTo: lastCommit())
        else { return nil }
        var last = kept.position.commit
        let cursor = try changes(after: kept.position)
        while let commit = try cursor.next() {
            guard commit.number == last.next else { return "\(commit.number) comes after \(last)" }
            last = commit.number
        }
        return try last == lastCommit() ? nil : "the feed ends with \(last)"
    }

    /// As `logChanges(after:)`; where that is gone, from the oldest commit on, which `start`
    /// becomes.
    private func logChanges(
        after number: CommitNumber, orOldest start: inout CommitNumber
    ) throws(BackendError) -> LogChanges {
        do throws(BackendError) {
            return try logChanges(after: number)
        } catch {
            guard case .changesGone(let oldest) = error, oldest > number else { throw error }
            start = oldest
        }
        return try logChanges(after: start)
    }
}
