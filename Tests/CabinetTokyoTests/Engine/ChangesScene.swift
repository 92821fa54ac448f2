import CabinetBackend
import Foundation
import TrustSupport

@testable import CabinetTokyo

/// A commit as a walk tells of it.
struct Told: Hashable {
    var number: CommitNumber
    var author: UInt32
    var notes: [String]
    var rows: [RowID]
}

/// A store whose commits say of themselves what they put.
protocol ChangesScene {
    var directory: ScratchDirectory { get }
}

extension ChangesScene {
    var path: String { directory.file("Music") }

    func tell(_ commit: LoggedCommit) throws -> Told {
        var rows: [RowID] = []
        try commit.forEachOperation { operation in
            if case .putRow(2, let row, _) = operation { rows.append(row) }
        }
        return Told(
            number: commit.number, author: commit.author,
            notes: commit.notes.map { String(decoding: $0.bytes, as: UTF8.self) }, rows: rows)
    }

    func tellAll(_ walk: LogChanges) throws -> [Told] {
        var told: [Told] = []
        while let commit = try walk.next() { told.append(try tell(commit)) }
        return told
    }

    func start(_ files: any FileLayer = SystemFiles()) throws -> TokyoBackend {
        let backend = try TokyoBackend(path: path, files: files)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try backend.commit(batch)
        return backend
    }

    /// Commits row after row, each with its number as author and in a note.
    func save(_ rows: ClosedRange<RowID>, _ backend: TokyoBackend) throws {
        for row in rows { try save(row, backend) }
    }

    func save(_ row: RowID, _ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        batch.author = row.rawValue
        try batch.put("song \(row)", at: row, in: 2)
        try batch.note(1, "row \(row)")
        try backend.commit(batch)
    }

    /// What a walk tells of ``save(_:_:)``, where the commit of a row has the same number.
    func told(_ rows: ClosedRange<RowID>) -> [Told] {
        rows.map {
            Told(number: Self.commit(of: $0), author: $0.rawValue, notes: ["row \($0)"], rows: [$0])
        }
    }

    /// The number of the commit that ``save(_:_:)`` made of a row.
    static func commit(of row: RowID) -> CommitNumber { CommitNumber(UInt64(row.rawValue)) }

    func segments() throws -> [UInt64] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/Journal")
            .compactMap { StorePaths.number(in: $0, after: "log-") }.sorted()
    }
}
