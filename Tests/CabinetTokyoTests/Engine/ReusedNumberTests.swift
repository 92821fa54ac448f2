import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Numbers of dropped indexes that get another table.
struct ReusedNumberTests {
    let directory = ScratchDirectory()
    var path: String { directory.file("Music") }
    let files = SystemFiles()

    private func open(_ limit: Int = 24, at path: String? = nil) throws -> TokyoBackend {
        try TokyoBackend(
            path: path ?? self.path, durability: .process, files: files, tableLimit: limit)
    }

    /// Makes an index with one key, and what is known of it.
    @discardableResult
    private func make(_ name: String, in backend: TokyoBackend) throws -> TableNumber {
        let index = try backend.claim(TableClaim(kind: .ordered, name: name, flags: .derived))
        let batch = backend.makeBatch()
        try batch.define(index)
        try batch.put(name, forKey: "key of \(name)", in: index.number)
        try backend.commit(batch)
        return index.number
    }

    /// Without waiting for it as a task.
    private func compact(_ backend: TokyoBackend) throws { try backend.compact() }

    /// A copy as a kill leaves it, while nothing goes on beside.
    private func kill(_ backend: TokyoBackend) throws -> String {
        backend.upkeep.queue.sync {}
        let killed = directory.file("Killed")
        try FileManager.default.copyItem(atPath: path, toPath: killed)
        return killed
    }

    private func drop(_ number: TableNumber, in backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        try batch.drop(number)
        try backend.commit(batch)
    }

    /// What tables there are, and their keys.
    private func content(_ backend: any BackendReader) throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for table in try backend.tables() { found[table.name] = try backend.keys(in: table.number) }
        return found
    }

    @Test func aNumberIsUsedAgainOnceASnapshotHasTheDrop() throws {
        let backend = try open()
        let first = try make("a", in: backend)
        try drop(first, in: backend)
        #expect(try make("b", in: backend) == first.next)
        try backend.compact()
        #expect(try backend.reserveTable() != first)
        #expect(
            try backend.claim(TableClaim(kind: .record, name: "Song")).number != first)
        #expect(try backend.claim(TableClaim(kind: .ordered, name: "list")).number != first)
        #expect(try make("c", in: backend) == first)
        #expect(try content(backend) == ["b": ["key of b"], "c": ["key of c"]])
        // Claimed and not defined, it stays the claim's.
        try drop(first, in: backend)
        try backend.compact()
        let claim = TableClaim(kind: .ordered, name: "d", flags: .derived)
        #expect(try backend.claim(claim).number == first)
        #expect(try backend.claim(claim).number == first)
        #expect(try make("e", in: backend) != first)
        #expect(try make("d", in: backend) == first)
        try backend.close()
    }

    @Test func aNumberWaitsForReadersOfEarlierCommits() throws {
        let backend = try open()
        let first = try make("a", in: backend)
        var reader: (any BackendReader)? = try backend.snapshot()
        try drop(first, in: backend)
        try backend.compact()
        let other = try make("b", in: backend)
        #expect(other != first)
        #expect(try reader.map { try content($0) } == ["a": ["key of a"]])
        reader = nil
        try drop(other, in: backend)
        #expect(try make("c", in: backend) == first)
        try backend.close()
    }

    @Test(arguments: [true, false])
    func aNumberIsFreeAfterOpeningAnew(isKilled: Bool) throws {
        var backend = try open()
        let first = try make("a", in: backend)
        try make("b", in: backend)
        try drop(first, in: backend)
        try backend.compact()
        // Behind the snapshot: not free before the next one.
        let second = try make("c", in: backend)
        #expect(second == first)
        try drop(second, in: backend)
        let place = isKilled ? try kill(backend) : path
        try backend.close()
        backend = try open(at: place)
        let third = try make("d", in: backend)
        #expect(third != first)
        try backend.compact()
        #expect(try make("e", in: backend) == first)
        #expect(
            try content(backend) == [
                "b": ["key of b"], "d": ["key of d"], "e": ["key of e"],
            ])
        try backend.close()
    }

    /// As after a power cut that has taken back the removal of a file.
    @Test(arguments: [true, false])
    func runsOfTheDroppedTableAreNotBelieved(isSettled: Bool) throws {
        let backend = try open()
        try make("kept", in: backend)
        let first = try make("same", in: backend)
        backend.settle(first, evenIfSmall: true)
        let runs = runNames(in: path).filter { $0.hasPrefix("same") }
        #expect(runs.count == 1)
        let aside = directory.file("Aside")
        try FileManager.default.copyItem(atPath: path + "/" + runs[0], toPath: aside)
        try drop(first, in: backend)
        try backend.compact()
        let index = try backend.claim(
            TableClaim(kind: .ordered, name: "same", flags: .derived))
        #expect(index.number == first)
        let batch = backend.makeBatch()
        try batch.define(index)
        try batch.put("new", forKey: "new", in: first)
        try backend.commit(batch)
        if isSettled { backend.settle(first, evenIfSmall: true) }
        let killed = try kill(backend)
        try FileManager.default.copyItem(atPath: aside, toPath: killed + "/" + runs[0])
        let again = try open(at: killed)
        #expect(try content(again) == ["kept": ["key of kept"], "same": ["new"]])
        try again.close()
        #expect(!runNames(in: killed).contains(runs[0]))
        try backend.close()
    }

    /// A store that has 40 numbers; some of its indexes stay for a while.
    @Test func numbersDoNotRunOutWithFollowersKillsAndBackups() async throws {
        var numbers = SeededRandom(seed: 37)
        var backend = try open(40)
        var expected: [String: [String]] = [:]
        var alive: [(name: String, number: TableNumber)] = []
        let follower = try TokyoBackend(path: path, files: files, follows: true)
        var held: (reader: any BackendReader, content: [String: [String]])?
        for round in 0..<240 {
            if alive.count >= 3 {
                let gone = alive.remove(at: Int.random(in: 0..<3, using: &numbers))
                try drop(gone.number, in: backend)
                expected[gone.name] = nil
            }
            let name = "Index.\(round)"
            alive.append((name, try make(name, in: backend)))
            expected[name] = ["key of \(name)"]
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0: held = (try backend.snapshot(), expected)
            case 1: held = nil
            case 2:
                held = nil
                try backend.close()
                backend = try open(40)
            case 3:
                let killed = try kill(backend)
                let again = try open(40, at: killed)
                #expect(try content(again) == expected)
                try again.close()
                try FileManager.default.removeItem(atPath: killed)
            case 4:
                let copy = directory.file("Copy")
                try await backend.backup(to: copy)
                let again = try open(40, at: copy)
                #expect(try content(again) == expected)
                try make("more", in: again)
                try again.close()
                try FileManager.default.removeItem(atPath: copy)
            case 5, 6:
                try follower.refresh()
                #expect(try content(follower) == expected)
            default: break
            }
            if let held { #expect(try content(held.reader) == held.content) }
            // Numbers wait for a reader.
            if round % 10 == 9 { held = nil }
            if round % 6 == 0 { try compact(backend) }
        }
        #expect(try content(backend) == expected)
        #expect(try await backend.check().isSound)
        try follower.refresh()
        #expect(try content(follower) == expected)
        try follower.close()
        try backend.close()
    }

    @Test func manyDropsCallForASnapshot() throws {
        let backend = try open(1 << 10)
        for round in 0..<500 { try drop(try make("Index.\(round)", in: backend), in: backend) }
        backend.upkeep.queue.sync {}
        #expect(try make("last", in: backend) < 400)
        try backend.close()
    }

    @Test func whatTheCatalogSaysIsReadBackAndNothingElse() {
        var dropped = DroppedTables()
        let index = TableDefinition(number: 0x1234, kind: .ordered, name: "a", flags: .derived)
        dropped.note(index, droppedBy: 0x0102_0304)
        dropped.note(
            TableDefinition(number: 7, kind: .ordered, name: "b", flags: .derived), droppedBy: 9)
        for kind in TableKind.allCases {
            let flags: TableFlags = kind == .ordered ? .keepsHistory : .derived
            dropped.note(
                TableDefinition(number: 8, kind: kind, name: "c", flags: flags), droppedBy: 9)
        }
        let bytes: [UInt8] = [
            7, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0x34, 0x12, 4, 3, 2, 1, 0, 0, 0, 0,
        ]
        #expect(dropped.bytes == bytes)
        #expect(bytes.withUnsafeBytes { DroppedTables($0) } == dropped)
        #expect(bytes.dropLast().withUnsafeBytes { DroppedTables($0) } == DroppedTables())
        #expect([UInt8]().withUnsafeBytes { DroppedTables($0) } == DroppedTables())
    }
}
