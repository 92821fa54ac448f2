import CabinetBackend
import Testing

@testable import Cabinet

/// Takes part in commits and keeps a copy of every record, made from the events alone: if some path
/// to a record sent no event, the copy would differ from the store.
///
/// It may stand for several stores over one backend. `Sendable`, because a lock guards its state.
final class RecordMirror: Sendable {
    struct Key: Hashable, Sendable {
        let table: TableNumber
        let row: RowID
    }

    private let records = Guarded<[Key: [UInt8]]>([:])
    private let backend: any Backend
    /// A kind of event that it does not take notice of: to see that this is found.
    private let ignored: RecordEvent.Kind?

    init(_ backend: any Backend, ignoring ignored: RecordEvent.Kind? = nil) throws {
        self.backend = backend
        self.ignored = ignored
        let saved = try saved()
        records.withLock { $0 = saved }
    }

    /// Has all stores over the backend tell of their commits.
    func register(with store: Store) throws {
        store.hub.register(
            CommitHub.Registration(name: "mirror") { store in
                store.add(Follower(self, store.backend))
            })
        try store.prepareParticipants()
    }

    /// What the backend holds.
    private func saved() throws -> [Key: [UInt8]] {
        var found: [Key: [UInt8]] = [:]
        let run = RecordRun()
        for table in try backend.tables() where table.kind == .record {
            let cursor = try backend.records(in: table.number)
            while try cursor.next(run) {
                while let (row, record) = run.next() {
                    found[Key(table: table.number, row: row)] = Array(record)
                }
            }
        }
        return found
    }

    /// Whether the copy equals the store.
    func isUpToDate() throws -> Bool {
        let saved = try saved()
        return records.withLock { $0 == saved }
    }

    private final class Follower: CommitParticipant {
        private let mirror: RecordMirror
        private let backend: any Backend
        private var noted: [Key: Bool] = [:]

        init(_ mirror: RecordMirror, _ backend: any Backend) {
            self.mirror = mirror
            self.backend = backend
        }

        func follows(_ storedClass: StoredClass) -> Bool { true }
        func compares(_ storedClass: StoredClass) -> Bool { true }

        func note(_ event: RecordEvent, in commit: Commit) throws {
            if event.kind == mirror.ignored { return }
            let key = Key(table: event.storedClass.table, row: event.object.rowID)
            #expect(noted.updateValue(event.kind != .deleted, forKey: key) == nil, "told twice")
            var former: [UInt8]?
            if case .record(let record) = event.former { former = Array(record) }
            let known = mirror.records.withLock { $0[key] }
            #expect(former == known, "what the record was")
        }

        func begin(_ commit: Commit) throws {}
        func join(_ commit: Commit) throws {}

        func didEnd(committed number: CommitNumber?) {
            defer { noted = [:] }
            guard number != nil else { return }
            let buffer = DataBuffer()
            for (key, isThere) in noted {
                do {
                    let isSaved = try backend.value(of: key.row, in: key.table, into: buffer)
                    #expect(isSaved == isThere)
                    let bytes = buffer.withUnsafeBytes { Array($0) }
                    mirror.records.withLock { $0[key] = isThere ? bytes : nil }
                } catch {
                    Issue.record(error)
                }
            }
        }

        func forgetWhatIsSaved() {}
    }
}
