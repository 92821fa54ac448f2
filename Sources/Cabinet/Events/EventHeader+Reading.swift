import CabinetBackend
import Foundation

extension EventHeader {
    /// - Throws: why the engine cannot say who has made the commit, or where it stands.
    init(_ commit: CommittedChanges, in backend: any Backend) throws(BackendError) {
        try self.init(
            commit, by: backend.author(commit.author),
            backend.features.contains(.lines) ? backend.position(of: commit.number) : nil)
    }

    init(
        _ commit: CommittedChanges, by author: String?, _ position: ChangePosition?
    ) throws(BackendError) {
        self.init(commit.number, commit.time, try commit.notes, by: author, position)
    }

    /// - Parameter time: in microseconds since 1970.
    init(
        _ number: CommitNumber, _ time: UInt64, _ notes: [CommittedChanges.Note],
        by author: String?, _ position: ChangePosition?
    ) {
        self.number = number
        date = Date(timeIntervalSince1970: Double(time) / 1_000_000)
        self.author = author
        self.notes = notes.compactMap { note in
            note.tag == NoteTag.program.rawValue
                ? String(validating: note.bytes, as: UTF8.self) : nil
        }
        steps = notes.compactMap(CommitStep.init)
        self.position = position
    }
}
