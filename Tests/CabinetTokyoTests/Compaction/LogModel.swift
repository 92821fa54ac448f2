import CabinetBackend
import TrustSupport

@testable import CabinetTokyo

/// A closed segment in memory: what a table list and whole commits left in it.
final class MemorySegment: OperationSource {
    private enum Part {
        case tables([TableState], CommitNumber)
        case commit(UnsafeMutableRawBufferPointer, CommitNumber)
    }

    private var parts: [Part] = []
    private var place = 0
    private var reader: OperationReader?
    private var commitNumber: CommitNumber = 0

    deinit {
        for case .commit(let bytes, _) in parts { bytes.deallocate() }
    }

    func add(_ tables: [TableState], after commitNumber: CommitNumber) {
        parts.append(.tables(tables, commitNumber))
    }

    func add(_ batch: WriteBatch, _ commitNumber: CommitNumber) {
        let chunk = UnsafeRawBufferPointer(rebasing: batch.chunk()[WriteBatch.headroom...])
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk.count, alignment: 16)
        copy.copyMemory(from: chunk)
        parts.append(.commit(copy, commitNumber))
    }

    /// Begins again at the first operation.
    func rewind() {
        place = 0
        reader = nil
    }

    func next() throws(BackendError) -> CommittedOperation? {
        while true {
            if let operation = reader?.next() {
                return .operation(operation, commitNumber: commitNumber)
            }
            guard place < parts.count else { return nil }
            place += 1
            switch parts[place - 1] {
            case .tables(let tables, let commitNumber):
                return .tables(tables, commitNumber: commitNumber)
            case .commit(let bytes, let commitNumber):
                self.commitNumber = commitNumber
                reader = OperationReader(UnsafeRawBufferPointer(bytes))
            }
        }
    }
}

/// A history of commits drawn from a seed, as segments, and what a store should hold after it.
struct LogModel {
    var store = StoreModel()
    private var random: SeededRandom
    private var nextTable: TableNumber = 2

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Some more commits, in a segment of their own.
    mutating func segment(commits: Int) throws -> MemorySegment {
        let segment = MemorySegment()
        segment.add(store.states, after: store.commitNumber)
        for _ in 0..<commits {
            let batch = WriteBatch()
            store.commitNumber = store.commitNumber.next
            for _ in 0..<Int.random(in: 0...30, using: &random) { try change(batch) }
            segment.add(batch, store.commitNumber)
        }
        return segment
    }

    private mutating func change(_ batch: WriteBatch) throws {
        let tables = store.states.map(\.definition)
        let table = tables[Int.random(in: 0..<tables.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<2 where tables.count < 9:
            let kind = TableKind.allCases[Int.random(in: 0..<3, using: &random)]
            let definition = TableDefinition(number: nextTable, kind: kind, name: "T\(nextTable)")
            nextTable = nextTable.next
            try store.define(definition, in: batch)
        case 2 where table.number > 1:
            try store.drop(table.number, in: batch)
        case 3 where table.number > 1:
            var renamed = table
            renamed.name += "x"
            renamed.classVersion &+= 1
            try store.define(renamed, in: batch)
        case 4..<40:
            if table.kind == .record {
                try store.delete(row: row(), in: table.number, batch)
            } else {
                try store.delete(key: key(), in: table.number, batch)
            }
        default:
            let value = bytes(upTo: Bool.random(using: &random) ? 12 : 90)
            if table.kind == .record {
                try store.put(value, row: row(), in: table.number, batch)
            } else {
                try store.put(value, key: key(), in: table.number, batch)
            }
        }
    }

    private mutating func row() -> RowID {
        RowID(
            Bool.random(using: &random)
                ? UInt32.random(in: 2...40, using: &random)
                : UInt32.random(in: 2...UInt32.max, using: &random) & 0xFFFF_F00F | 2)
    }

    /// Keys that often begin alike, and differ in zeros and in length.
    private mutating func key() -> [UInt8] {
        (0..<Int.random(in: 0...12, using: &random)).map { place in
            place < 6 ? 97 : [0, 97, 255][Int.random(in: 0..<3, using: &random)]
        }
    }

    private mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in
            UInt8.random(in: 0...9, using: &random)
        }
    }
}
