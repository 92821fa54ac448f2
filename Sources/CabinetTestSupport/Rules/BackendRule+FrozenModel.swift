import CabinetBackend

extension BackendRule {
    /// Readers frozen at any commits, beside threads that change everything.
    static let frozenModels: [BackendRule] = [
        BackendRule(
            "readers frozen at random commits equal copies under four writing threads",
            needs: .snapshots
        ) { bench in
            let rows = try bench.makeTable(.record, "Rows")
            let keys = try bench.makeTable(.ordered, "Keys")
            let backend = bench.backend
            let base = try backend.lastCommit()
            let start = try FeedModel.Contents(
                tables: Dictionary(
                    uniqueKeysWithValues: backend.tables().map { ($0.number, $0) }))
            let commits = Guarded<[CommitNumber: [FrozenChange]]>([:])
            let writing = Rounds()
            let ended = Rounds()
            let done = Rounds()
            try inParallel(6) { thread in
                guard thread < 4 else {
                    defer { done.count() }
                    var watch = FrozenCopies(
                        backend, start, after: base, seed: UInt64(thread)
                    ) { number in
                        // A commit is known soon after it can be seen.
                        while true {
                            if let made = commits.withLock({ $0[number] }) { return made }
                            guard !ended.hasReached(4) else {
                                throw Unexpected("commit \(number) was not made by a writer")
                            }
                            writing.waitForMore(0)
                        }
                    }
                    for _ in 0..<25 {
                        try watch.look(rows, keys)
                        writing.waitForMore(3)
                    }
                    return
                }
                defer {
                    writing.end()
                    ended.count()
                }
                var writer = FrozenWriter(rows, keys, seed: UInt64(thread))
                while !done.hasReached(2), writer.steps < 20_000 {
                    let changes = try writer.next(backend)
                    let number = try backend.commit { batch in
                        for change in changes { try change.write(to: batch) }
                    }
                    commits.withLock { $0[number] = changes }
                    writing.count()
                }
            }
            try bench.expectEqual(backend.openSnapshots, [], "readers at last")
        }
    ]
}

/// One change of a model.
private enum FrozenChange: Sendable {
    case row(TableNumber, RowID, [UInt8]?)
    case key(TableNumber, [UInt8], [UInt8]?)
    case define(TableDefinition)
    case drop(TableNumber)

    func write(to batch: WriteBatch) throws {
        switch self {
        case .row(let table, let row, let value?): try batch.put(value, at: row, in: table)
        case .row(let table, let row, nil): try batch.deleteRow(row, in: table)
        case .key(let table, let key, let value?): try batch.put(value, for: key, in: table)
        case .key(let table, let key, nil): try batch.deleteKey(key, in: table)
        case .define(let definition): try batch.define(definition)
        case .drop(let table): try batch.drop(table)
        }
    }

    func apply(to contents: inout FeedModel.Contents) {
        switch self {
        case .row(let table, let row, let value): contents.rows[table, default: [:]][row] = value
        case .key(let table, let key, let value): contents.keys[table, default: [:]][key] = value
        case .define(let definition): contents.tables[definition.number] = definition
        case .drop(let table):
            contents.tables[table] = nil
            contents.rows[table] = nil
        }
    }
}

/// A thread's random changes: of rows and keys that all threads change, of new rows, and of a table
/// of its own that comes and goes.
private struct FrozenWriter {
    private let rows: TableNumber
    private let keys: TableNumber
    private var numbers: SeededNumbers
    private var own: TableNumber?
    private let seed: UInt64
    private var tables = 0
    private(set) var steps = 0

    init(_ rows: TableNumber, _ keys: TableNumber, seed: UInt64) {
        self.rows = rows
        self.keys = keys
        self.seed = seed
        numbers = SeededNumbers(100 + seed)
    }

    mutating func next(_ backend: any Backend) throws -> [FrozenChange] {
        steps += 1
        var changes: [FrozenChange] = []
        if chance(30) { changes += try changeTables(backend) }
        // Now and then a save of several chunks.
        let isLarge = chance(150)
        for _ in 0..<(isLarge ? 400 : Int.random(in: 1...5, using: &numbers)) {
            let row = RowID(UInt32.random(in: 2...60, using: &numbers))
            changes.append(.row(rows, row, value(isLarge ? 4000 : 60)))
            if chance(4), let own { changes.append(.row(own, row, value(30))) }
            if chance(2) {
                let key = Array("\(UInt32.random(in: 2...300, using: &numbers))".utf8)
                changes.append(.key(keys, key, value(20)))
            }
            if chance(8) {
                let name = [UInt8.random(in: 0...5, using: &numbers)]
                changes.append(.key(.namedBuffers, name, value(200)))
            }
        }
        if chance(5) {
            let row = try backend.reserveRows(1, in: rows).lowerBound
            changes.append(.row(rows, row, pattern(row.rawValue, 20)))
        }
        return changes
    }

    private mutating func changeTables(_ backend: any Backend) throws -> [FrozenChange] {
        if let dropped = own {
            own = nil
            return [.drop(dropped)]
        }
        tables += 1
        let name = "Passing\(tables)of\(seed)"
        let definition = try backend.claim(TableClaim(kind: .record, name: name))
        own = definition.number
        return [.define(definition)]
    }

    private mutating func chance(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &numbers) == 0
    }

    /// `nil`, for a delete, one time in three.
    private mutating func value(_ longest: Int) -> [UInt8]? {
        guard !chance(3) else { return nil }
        let size = Int.random(in: 0...longest, using: &numbers)
        return pattern(UInt32.random(in: 0...9999, using: &numbers), size)
    }
}

/// Frozen readers, each with a copy of what it must show.
private struct FrozenCopies {
    private let backend: any Backend
    private let changes: (CommitNumber) throws -> [FrozenChange]
    private var contents: FeedModel.Contents
    private var last: CommitNumber
    private var numbers: SeededNumbers
    private var held: [(reader: any BackendReader, copy: FeedModel.Contents)] = []

    /// - Parameter changes: the changes of a commit that has been made.
    init(
        _ backend: any Backend, _ contents: FeedModel.Contents, after last: CommitNumber,
        seed: UInt64, changes: @escaping (CommitNumber) throws -> [FrozenChange]
    ) {
        self.backend = backend
        self.contents = contents
        self.last = last
        self.changes = changes
        numbers = SeededNumbers(200 + seed)
    }

    /// Takes a reader, compares one that was taken some time ago, and frees some.
    mutating func look(_ rows: TableNumber, _ keys: TableNumber) throws {
        let reader = try backend.snapshot()
        let number = try reader.lastCommit()
        while last < number {
            last = last.next
            for change in try changes(last) { change.apply(to: &contents) }
        }
        var copy = contents
        copy.rows = copy.rows.filter { !$0.value.isEmpty }
        copy.keys = copy.keys.filter { !$0.value.isEmpty }
        held.append((reader, copy))
        let index = Int.random(in: 0..<held.count, using: &numbers)
        let chosen = held[index]
        if held.count > 5 || index % 2 == 0 { held.remove(at: index) }
        try chosen.copy.expect(
            in: chosen.reader, records: [rows] + chosen.copy.rows.keys.filter { $0 != rows },
            keys: [keys, .namedBuffers])
    }
}
