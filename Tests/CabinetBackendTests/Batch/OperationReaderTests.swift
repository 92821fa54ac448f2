import CabinetBackend
import Testing
import TrustSupport

/// What comes back from a disk may be anything.
struct OperationReaderTests {
    /// One operation of each kind, by hand; checksums are not the reader's business.
    private static let operations: [[UInt8]] = [
        [1, 2, 0, 5, 0, 0, 0, 2, 0, 0, 0, 8, 9, 1, 1, 1, 1],
        [2, 2, 0, 5, 0, 0, 0],
        [3, 1, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 8, 9, 1, 1, 1, 1],
        [4, 1, 0, 2, 0, 0, 0, 7, 8],
        [5, 4, 0, 1, 6, 7, 0, 4, 0, 0x53, 0x6F, 0x6E, 0x67],
        [6, 9, 0],
        [0x80, 0, 0, 3, 0, 0, 0, 4, 8, 9],
        [0x80, 0, 0, 1, 0, 0, 0, 5],
        [0xFE, 2, 1, 2, 0, 0, 0, 8, 9],
        [0x82, 0, 0, 0, 0, 0, 0],
    ]

    private func read(_ bytes: [UInt8]) -> (lines: [String], offset: Int, isDamaged: Bool) {
        bytes.withUnsafeBytes { bytes in
            var reader = OperationReader(bytes)
            var lines: [String] = []
            while let operation = reader.next() { lines.append(line(operation)) }
            return (lines, reader.offset, reader.isDamaged)
        }
    }

    private func line(_ operation: Operation) -> String {
        switch operation {
        case .putRow(let table, let row, let stored): "put \(table) \(row) \(Array(stored))"
        case .deleteRow(let table, let row): "delete \(table) \(row)"
        case .putKey(let table, let key, let stored):
            "put \(table) \(Array(key)) \(Array(stored))"
        case .deleteKey(let table, let key): "delete \(table) \(Array(key))"
        case .define(let table):
            "define \(table.number) \(table.kind) \(table.name) \(table.classNumber) "
                + "\(table.classVersion)"
        case .drop(let table): "drop \(table)"
        case .note(let tag, let bytes): "note \(tag) \(Array(bytes))"
        case .unknown(let kind, let table, let bytes):
            "unknown \(kind) \(table) \(Array(bytes))"
        }
    }

    @Test func everyOperationIsRead() {
        let bytes = Array(Self.operations.joined())
        let (lines, offset, isDamaged) = read(bytes)
        #expect(
            lines == [
                "put 2 5 [8, 9, 1, 1, 1, 1]", "delete 2 5", "put 1 [7] [8, 9, 1, 1, 1, 1]",
                "delete 1 [7, 8]", "define 4 record Song 6 7", "drop 9",
                "note 4 [8, 9]", "note 5 []", "unknown 254 258 [8, 9]", "unknown 130 0 []",
            ])
        #expect(offset == bytes.count && !isDamaged)
    }

    @Test func nothingIsReadFromNothing() {
        let (lines, offset, isDamaged) = read([])
        #expect(lines == [] && offset == 0 && !isDamaged)
    }

    @Test func everyTruncationStopsBeforeTheCutOperation() {
        let bytes = Array(Self.operations.joined())
        let ends = Self.operations.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        for length in 0...bytes.count {
            let whole = ends.last { $0 <= length } ?? 0
            let (lines, offset, isDamaged) = read(Array(bytes.prefix(length)))
            #expect(offset == whole, "cut at \(length)")
            #expect(lines.count == ends.firstIndex(of: whole), "cut at \(length)")
            #expect(isDamaged == (length != whole), "cut at \(length)")
        }
    }

    @Test(
        arguments: [
            [0, 0, 0], [7, 0, 0], [0x7F, 0, 0, 0, 0, 0, 0], [255, 0, 0],
            [0x80, 0, 0, 0, 0, 0, 0], [0x80, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            [0x90, 0, 0, 0xF0, 0xFF, 0xFF, 0xFF, 1],
            [1, 2, 0, 5, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4],
            [3, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4],
            [3, 1, 0, 1, 0, 0, 0, 0xFC, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4],
            [4, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF],
            [5, 4, 0, 0, 6, 7, 0, 1, 0, 0x53], [5, 4, 0, 9, 6, 7, 0, 1, 0, 0x53],
            [5, 4, 0, 1, 6, 7, 0, 0xFF, 0xFF, 0x53], [5, 4, 0, 1, 6, 7, 0, 1, 0, 0xFF],
        ] as [[UInt8]])
    func whatIsNoOperationStopsTheReader(_ damage: [UInt8]) {
        let sound = Self.operations[1]
        let (lines, offset, isDamaged) = read(sound + damage + sound)
        #expect(lines == ["delete 2 5"])
        #expect(offset == sound.count && isDamaged)
    }

    @Test func aReaderThatHasStoppedStaysStopped() {
        ([7, 0, 0, 6, 9, 0] as [UInt8]).withUnsafeBytes { bytes in
            var reader = OperationReader(bytes)
            for _ in 0..<3 { if reader.next() != nil { Issue.record("it went on") } }
            #expect(reader.offset == 0)
        }
    }

    @Test func seededRandomBytesNeverLeadOutside() {
        var numbers = SeededRandom(seed: 3)
        let sound = Array(Self.operations.joined())
        for round in 0..<20_000 {
            var bytes = sound
            if round % 2 == 0 {
                for _ in 0..<3 {
                    let index = Int.random(in: 0..<bytes.count, using: &numbers)
                    bytes[index] = UInt8.random(in: .min ... .max, using: &numbers)
                }
            } else {
                let count = Int.random(in: 0...40, using: &numbers)
                bytes = (0..<count).map { _ in UInt8.random(in: 0...9, using: &numbers) }
            }
            bytes.withUnsafeBytes { memory in
                var reader = OperationReader(memory)
                while let operation = reader.next() {
                    for run in runs(of: operation) where run.count > 0 {
                        let start = run.baseAddress.map { $0 - memory.baseAddress! } ?? -1
                        #expect(start >= 0 && start + run.count <= memory.count)
                    }
                    #expect(reader.offset <= memory.count)
                }
                #expect(reader.isDamaged == (reader.offset < memory.count))
            }
        }
    }

    private func runs(of operation: Operation) -> [UnsafeRawBufferPointer] {
        switch operation {
        case .putRow(_, _, let stored): [stored]
        case .putKey(_, let key, let stored): [key, stored]
        case .deleteKey(_, let key): [key]
        default: []
        }
    }
}
