import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A store in which everything that a user gives is a mark, and what it should hold.
final class SealedScene {
    let directory = ScratchDirectory()
    let files = WrittenFiles()
    let key: StoreKey?
    var marks: Marks
    private(set) var rows: [RowID: [UInt8]] = [:]
    private(set) var keys: [[UInt8]: [UInt8]] = [:]
    private(set) var names: [[UInt8]: [UInt8]] = [:]
    /// The keys of each table, in the order in which they came.
    private var order: [TableNumber: [[UInt8]]] = [:]
    var path: String { directory.file("Store") }

    init(_ key: StoreKey?, seed: UInt64) {
        self.key = key
        marks = Marks(seed: seed)
    }

    func open(_ name: String = "Store", access: Access = .readWrite) throws -> TokyoBackend {
        try TokyoBackend(
            path: directory.file(name), durability: .process, access: access,
            snapshots: SnapshotLimits(memory: 0), key: key, log: .none, files: files)
    }

    /// Makes tables 2, of rows, and 3, of keys.
    func begin(_ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        let numbers = [try backend.reserveTable(), try backend.reserveTable()]
        #expect(numbers == [2, 3])
        try batch.define(
            TableDefinition(number: 2, kind: .record, name: "Song", classNumber: 1))
        try batch.define(TableDefinition(number: 3, kind: .ordered, name: "Song.index"))
        try backend.commit(batch)
    }

    /// Puts and deletes `count` rows and keys, and some names.
    func change(_ backend: TokyoBackend, _ count: Int, size: Int = 60) throws {
        let batch = backend.makeBatch()
        for _ in 0..<count {
            let row = RowID(UInt32(2 + marks.below(4 * count)))
            if marks.below(5) == 0 {
                rows[row] = nil
                try batch.deleteRow(row, in: 2)
            } else {
                let value = marks.next(Array(repeating: 7, count: marks.below(size)))
                rows[row] = value
                try value.withUnsafeBytes {
                    batch.beginRecord(row, in: 2).writeRawBytes($0)
                    try batch.endRecord()
                }
            }
            try put(marks.next(), marks.next(), in: 3, batch)
            if marks.below(8) == 0, let key = taken(from: &order[3]) {
                keys[key] = nil
                try key.withUnsafeBytes { try batch.deleteKey($0, in: 3) }
            }
            if marks.below(20) == 0 {
                try put(marks.next(), marks.next(), in: .namedBuffers, batch)
                if marks.below(3) == 0, let name = taken(from: &order[.namedBuffers]) {
                    names[name] = nil
                    try name.withUnsafeBytes { try batch.deleteKey($0, in: .namedBuffers) }
                }
            }
        }
        try backend.commit(batch)
    }

    /// A value that no block holds with others, and that the log takes by itself.
    func putLarge(_ backend: TokyoBackend, size: Int) throws {
        let batch = backend.makeBatch()
        try put(marks.next(), marks.next(Array(repeating: 1, count: size)), in: 3, batch)
        try backend.commit(batch)
    }

    /// One of the keys that are there, as the seed has it.
    private func taken(from keys: inout [[UInt8]]?) -> [UInt8]? {
        guard let count = keys?.count, count > 0 else { return nil }
        return keys?.remove(at: marks.below(count))
    }

    private func put(
        _ key: [UInt8], _ value: [UInt8], in table: TableNumber, _ batch: WriteBatch
    ) throws {
        if table == 3 { keys[key] = value } else { names[key] = value }
        order[table, default: []].append(key)
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { try batch.put($0, for: key, in: table) }
        }
    }

    // MARK: Looking

    /// Expects that a store holds all, by looks and by walks.
    func expectAll(in backend: TokyoBackend) throws {
        let buffer = DataBuffer()
        for (row, value) in rows {
            #expect(try backend.value(of: row, in: 2, into: buffer))
            #expect(buffer.withUnsafeBytes { $0.elementsEqual(value) })
        }
        for (table, entries) in [(TableNumber(3), keys), (.namedBuffers, names)] {
            for (key, value) in entries {
                #expect(
                    try key.withUnsafeBytes {
                        try backend.value(forKey: $0, in: table, into: buffer)
                    })
                #expect(buffer.withUnsafeBytes { $0.elementsEqual(value) })
            }
            #expect(try walk(backend, table) == entries)
        }
        var met: [RowID: [UInt8]] = [:]
        let (cursor, run) = (try backend.records(in: 2), RecordRun())
        while try cursor.next(run) {
            while let (row, value) = run.next() { met[row] = Array(value) }
        }
        #expect(met == rows)
        #expect(try backend.count(of: 2) == rows.count)
    }

    private func walk(
        _ backend: TokyoBackend, _ table: TableNumber
    ) throws -> [[UInt8]: [UInt8]] {
        var met: [[UInt8]: [UInt8]] = [:]
        let cursor = try backend.entries(in: table, range: .everything, descending: false)
        let run = EntryRun()
        while try cursor.next(run) {
            while let (key, value) = run.next() { met[Array(key)] = Array(value) }
        }
        return met
    }

    /// How many marks are found in what was written, by the kind of the file.
    func findings() throws -> [String: Int] {
        var found: [String: Int] = [:]
        for (path, bytes) in files.all { found[kind(path), default: 0] += marks.count(in: bytes) }
        for path in try paths() {
            let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
            found[kind(path), default: 0] += marks.count(in: bytes)
        }
        return found.filter { $0.value > 0 }
    }

    /// All files that there are.
    func paths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .map { directory.path + "/" + $0 }
            .filter { (try? SystemFiles().status(of: $0))??.isFile == true }.sorted()
    }

    private func kind(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if name.hasSuffix(".run") || name.hasPrefix("view-") { return "run" }
        return String(name.prefix { $0 != "-" && $0 != "." })
    }
}
