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
    private(set) var content = SealedContent()
    /// After each commit that was tried since the last opening to be killed.
    private var attempts: [SealedContent] = []
    /// The keys of each table, in the order in which they came.
    private var order: [TableNumber: [[UInt8]]] = [:]
    var path: String { directory.file("Store") }

    init(_ key: StoreKey?, seed: UInt64) {
        self.key = key
        marks = Marks(seed: seed)
    }

    func open(
        _ name: String = "Store", through files: (any FileLayer)? = nil
    ) throws -> TokyoBackend {
        try StoreUnderTest.open(
            directory.file(name), durability: .process, files: files ?? self.files,
            snapshots: SnapshotLimits(memory: 0), key: key
        ).backend
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
                content.rows[row] = nil
                try batch.deleteRow(row, in: 2)
            } else {
                let value = marks.next(Array(repeating: 7, count: marks.below(size)))
                content.rows[row] = value
                try value.withUnsafeBytes {
                    batch.beginRecord(row, in: 2).writeRawBytes($0)
                    try batch.endRecord()
                }
            }
            try put(marks.next(), marks.next(), in: 3, batch)
            if marks.below(8) == 0, let key = taken(from: &order[3]) {
                content.keys[key] = nil
                try key.withUnsafeBytes { try batch.deleteKey($0, in: 3) }
            }
            if marks.below(20) == 0 {
                try put(marks.next(), marks.next(), in: .namedBuffers, batch)
                if marks.below(3) == 0, let name = taken(from: &order[.namedBuffers]) {
                    content.names[name] = nil
                    try name.withUnsafeBytes { try batch.deleteKey($0, in: .namedBuffers) }
                }
            }
        }
        attempts.append(content)
        try backend.commit(batch)
    }

    /// Gives each row another value, as long as the one before.
    func putRows(_ backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        for (row, old) in content.rows.sorted(by: { $0.key < $1.key }) {
            let value = marks.next(Array(old.dropFirst(16)))
            content.rows[row] = value
            try value.withUnsafeBytes {
                batch.beginRecord(row, in: 2).writeRawBytes($0)
                try batch.endRecord()
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
        if table == 3 { content.keys[key] = value } else { content.names[key] = value }
        order[table, default: []].append(key)
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { try batch.put($0, for: key, in: table) }
        }
    }

    /// Takes back what a save has not reached.
    func forget(_ before: SealedContent) { content = before }

    // MARK: Looking

    /// Expects that a store holds all, or what it held at another time, by looks and by walks.
    func expectAll(in reader: any BackendReader, as content: SealedContent? = nil) throws {
        let content = content ?? self.content
        #expect(try content.isFound(in: reader))
        #expect(try SealedContent(reader) == content)
    }

    /// Has `deed` done with a store, and then some more times, in which it is killed somewhere. The next opening
    /// finds what one of its commits has left, or the last one before.
    func killing(_ times: Int, _ deed: (TokyoBackend) async throws -> Void) async throws {
        var steps = 0
        for time in 0...times {
            let step = time == 0 ? .max : marks.below(steps)
            let faulty = FaultyFiles(wrapping: files)
            attempts = [content]
            try await { () async throws in
                let backend = try open(through: faulty)
                faulty.replacePlan { index, _, _ in index == step ? .killed : nil }
                do { try await deed(backend) } catch { #expect(time > 0, "\(error)") }
                if time == 0 { steps = faulty.count }
            }()
            let backend = try open()
            let found = try SealedContent(backend)
            #expect(attempts.contains(found), "step \(step) of \(steps)")
            content = found
            try expectAll(in: backend)
            try backend.close()
        }
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
