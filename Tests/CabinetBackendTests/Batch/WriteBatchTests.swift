import CabinetBackend
import Testing

/// The bytes of operations, written out by hand. The checksums were computed apart from this code,
/// bit by bit from Castagnoli's polynomial.
struct WriteBatchTests {
    private func bytes(_ batch: WriteBatch) -> [UInt8] {
        Array(batch.chunk()[WriteBatch.headroom...])
    }

    /// CRC-32C, one bit at a time (RFC 3720, appendix B.4 has the polynomial).
    private func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        return withUnsafeBytes(of: (~sum).littleEndian) { Array($0) }
    }

    @Test func theChecksumIsThePublishedOne() {
        #expect(checksum(Array("123456789".utf8)) == [0x83, 0x92, 0x06, 0xE3])
    }

    @Test func aRowIsKindTableRowLengthValueAndChecksum() throws {
        let batch = WriteBatch()
        let buffer = batch.beginRecord(1234, in: 0x0203)
        buffer.writeUInt16(0x0B0A)
        buffer.writeUInt8(0xFF)
        try batch.endRecord()
        #expect(
            bytes(batch)
                == [1, 3, 2, 0xD2, 4, 0, 0, 3, 0, 0, 0, 0x0A, 0x0B, 0xFF]
                + checksum(Array("1234".utf8) + [0x0A, 0x0B, 0xFF]))
    }

    /// Ten rows share all digits but the last, which are summed once; in any order, and with other
    /// rows in between.
    @Test func everyRowIsSummedOverItsOwnKey() throws {
        let rows: [RowID] = [
            1, 2, 9, 10, 11, 9, 19, 20, 99, 100, 5, 0, 109, 110, 1_234_567, 1_234_568, 4, 999_999,
            1_000_000, 4_294_967_295, 4_294_967_290, 4_294_967_289,
        ]
        let batch = WriteBatch()
        var expected: [UInt8] = []
        for row in rows {
            batch.beginRecord(row, in: 7).writeUInt8(0x55)
            try batch.endRecord()
            expected += [1, 7, 0] + withUnsafeBytes(of: row.rawValue.littleEndian) { Array($0) }
            expected += [1, 0, 0, 0, 0x55] + checksum(Array("\(row)".utf8) + [0x55])
        }
        #expect(bytes(batch) == expected)
        #expect(batch.usage(of: 7).bytes == rows.map { "\($0)".utf8.count + 5 }.reduce(0, +))
    }

    @Test func anEmptyRowIsSummedOverItsKeyAlone() throws {
        let batch = WriteBatch()
        _ = batch.beginRecord(4_294_967_294, in: 2)
        try batch.endRecord()
        #expect(
            bytes(batch)
                == [1, 2, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
                + checksum(Array("4294967294".utf8)))
    }

    @Test func aKeyIsKindTableLengthsKeyValueAndChecksum() throws {
        let batch = WriteBatch()
        try [9, 8, 7].withBytes { value in
            try [0x6B].withBytes { try batch.put(value, for: $0, in: 1) }
        }
        #expect(
            bytes(batch)
                == [3, 1, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0x6B, 9, 8, 7] + checksum([0x6B, 9, 8, 7]))
    }

    @Test func anEmptyKeyAndValueHaveAChecksumToo() throws {
        let batch = WriteBatch()
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        try batch.put(nothing, for: nothing, in: 1)
        #expect(bytes(batch) == [3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func deletionsDefinitionsAndDropsAreShort() throws {
        let batch = WriteBatch()
        try batch.deleteRow(5, in: 0x0102)
        try [0x61, 0x62].withBytes { try batch.deleteKey($0, in: 3) }
        try batch.define(
            TableDefinition(
                number: 4, kind: .record, name: "Song", classNumber: 6, classVersion: 7))
        try batch.drop(9)
        let deleteRow: [UInt8] = [2, 2, 1, 5, 0, 0, 0]
        let deleteKey: [UInt8] = [4, 3, 0, 2, 0, 0, 0, 0x61, 0x62]
        let define: [UInt8] = [5, 4, 0, 1, 6, 7, 0, 4, 0, 0x53, 0x6F, 0x6E, 0x67]
        #expect(bytes(batch) == deleteRow + deleteKey + define + [6, 9, 0])
        #expect(batch.operationCount == 4)
        #expect(batch.definitions.map(\.name) == ["Song"])
        #expect(batch.drops == [9])
    }

    @Test func aNoteIsKindTableLengthTagAndBytes() throws {
        let batch = WriteBatch()
        try [7, 8].withBytes { try batch.note(4, $0) }
        try [].withBytes { try batch.note(255, $0) }
        #expect(bytes(batch) == [0x80, 0, 0, 3, 0, 0, 0, 4, 7, 8, 0x80, 0, 0, 1, 0, 0, 0, 255])
        #expect(batch.noteCount == 2 && batch.operationCount == 2 && !batch.isEmpty)
        #expect(batch.usage.allSatisfy { $0 == WriteBatch.TableUsage() } && !batch.changesTables)
    }

    @Test func aNoteThatIsTooLongIsRefusedAndNotAdded() throws {
        let batch = WriteBatch()
        let long = [UInt8](repeating: 1, count: WriteBatch.noteLimit + 1)
        #expect(throws: BackendError.tooLarge(limit: 65_536)) {
            try long.withBytes { try batch.note(1, $0) }
        }
        #expect(batch.isEmpty && bytes(batch) == [])
        try Array(long.dropLast()).withBytes { try batch.note(1, $0) }
        #expect(batch.noteCount == 1)
    }

    @Test func anEmptiedBatchHasNeitherAuthorNorNotes() throws {
        let batch = WriteBatch()
        batch.author = 9
        #expect(batch.isEmpty)
        try [7].withBytes { try batch.note(4, $0) }
        batch.removeAll()
        #expect(batch.author == 0 && batch.noteCount == 0 && batch.isEmpty)
    }

    @Test func aCancelledRecordIsNotInTheBatch() throws {
        let batch = WriteBatch()
        try batch.deleteRow(5, in: 2)
        let before = bytes(batch)
        let buffer = batch.beginRecord(6, in: 2)
        buffer.writeString(String(repeating: "x", count: 100_000))
        buffer.fail(DataBufferError.tooLarge(limit: 1))
        batch.cancelRecord()
        #expect(bytes(batch) == before)
        #expect(batch.operationCount == 1)
        #expect(batch.arena.writeError == nil)
        #expect(batch.usage(of: 2).puts == 0 && batch.usage(of: 2).highestRow == 0)
    }

    @Test func aRecordSeesOnlyItself() throws {
        let batch = WriteBatch()
        for row in 2...3 as ClosedRange<RowID> {
            let buffer = batch.beginRecord(row, in: 2)
            #expect(buffer.count == 0 && buffer.position == 0)
            buffer.writeUInt32(row.rawValue)
            #expect(buffer.count == 4)
            #expect(try buffer.readUInt32() == row.rawValue)
            try batch.endRecord()
        }
    }

    @Test func usageCountsByTable() throws {
        let batch = WriteBatch()
        for row in [7, 12, 3] as [RowID] {
            batch.beginRecord(row, in: 2).writeUInt8(1)
            try batch.endRecord()
        }
        try batch.deleteRow(90, in: 2)
        try [1, 2].withBytes { try batch.put($0, for: $0, in: 4) }
        try batch.deleteRow(1, in: 2)
        #expect(batch.usage.map(\.table) == [2, 4])
        #expect(batch.usage[0] == batch.usage(of: 2))
        #expect(batch.usage(of: 2).puts == 3 && batch.usage(of: 2).deletes == 2)
        #expect(batch.usage(of: 2).bytes == (1 + 1 + 4) + (2 + 1 + 4) + (1 + 1 + 4))
        #expect(batch.usage(of: 2).highestRow == 12)
        #expect(batch.usage(of: 3).puts == 0 && batch.usage(of: 3).deletes == 0)
        #expect(batch.usage(of: 4).puts == 1 && batch.usage(of: 4).bytes == 2 + 2 + 4)
        #expect(batch.usage(of: 4).highestRow == 0)
        #expect(batch.usage(of: .max) == batch.usage(of: .max))
        batch.removeAll()
        #expect(batch.usage.isEmpty && batch.usage(of: 2).puts == 0)
    }

    @Test func tablesKeepTheirIndexesHoweverManyThereAre() throws {
        let batch = WriteBatch()
        for round in 1...2 {
            let tables: [TableNumber] = [9, 4, 300, 7, 2, 9, 300, 4, 2, 7, 7]
            for table in tables { try [1, 2].withBytes { try batch.put($0, for: $0, in: table) } }
            #expect(batch.usage.map(\.table) == [9, 4, 300, 7, 2])
            #expect(batch.usage.map(\.puts) == [2, 2, 2, 3, 2])
            #expect(batch.usage(of: 7).bytes == 3 * (2 + 2 + 4), "round \(round)")
            for use in batch.usage { #expect(batch.usage(of: use.table) == use) }
            for table in [3, 8, 301, .max] as [TableNumber] {
                #expect(batch.usage(of: table).table == table && batch.usage(of: table).puts == 0)
            }
            batch.removeAll()
            #expect(batch.usage.isEmpty)
            for table in tables { #expect(batch.usage(of: table).puts == 0) }
        }
    }

    /// A record that was too large for its limit once went through when the arena had room.
    @Test func theLimitHoldsForEachRecordAlone() throws {
        let batch = WriteBatch()
        batch.beginRecord(2, in: 2).writeBytes([UInt8](repeating: 0, count: 5000))
        try batch.endRecord()
        batch.startNextChunk()
        let buffer = batch.beginRecord(3, in: 2)
        buffer.sizeLimit = 64
        for _ in 0..<8 { buffer.writeUInt64(1) }
        #expect(buffer.writeError == nil)
        buffer.writeUInt8(1)
        #expect(buffer.writeError as? DataBufferError == .tooLarge(limit: 64))
        batch.cancelRecord()
        #expect(batch.chunkSize == 0)
        batch.beginRecord(4, in: 2).writeBytes([UInt8](repeating: 1, count: 1000))
        try batch.endRecord()
        #expect(batch.arena.writeError == nil && batch.chunkSize == 11 + 1004 + 4)
    }

    /// Lengths beyond 32 bits once ended the process, and shorter ones reached files that count in
    /// signed 32 bits.
    @Test func aKeyWithTooLargeAValueIsRefused() {
        let batch = WriteBatch()
        // No byte of it is read: the count alone is too much.
        for count in [1 << 30, 1 << 33] {
            let huge = UnsafeRawBufferPointer(
                start: UnsafeRawPointer(bitPattern: 1), count: count)
            [1].withBytes { key in
                #expect(throws: BackendError.tooLarge(limit: 1 << 30)) {
                    try batch.put(huge, for: key, in: 1)
                }
            }
        }
        #expect(batch.isEmpty && batch.chunkSize == 0)
    }

    /// It would throw away what other objects have written before.
    @Test func emptyingTheBufferOfAnOpenRecordTraps() async {
        await #expect(processExitsWith: .failure) {
            WriteBatch().beginRecord(2, in: 2).removeAll()
        }
    }

    @Test func fullChunksGoToTheSink() throws {
        final class Counter: ChunkSink {
            var sizes: [Int] = []
            func stage(_ batch: WriteBatch) throws(BackendError) {
                sizes.append(batch.chunkSize)
                batch.startNextChunk()
            }
        }
        let counter = Counter()
        let batch = WriteBatch(sink: counter)
        let value = [UInt8](repeating: 1, count: WriteBatch.chunkLimit / 16)
        for row in 2..<42 as Range<RowID> {
            value.withUnsafeBytes { batch.beginRecord(row, in: 2).writeRawBytes($0) }
            try batch.endRecord()
        }
        #expect(counter.sizes.count == 2 && batch.stagedChunks == 2)
        #expect(counter.sizes.allSatisfy { $0 >= WriteBatch.chunkLimit - WriteBatch.headroom })
        #expect(batch.operationCount == 40)
        #expect(counter.sizes.reduce(batch.chunkSize, +) == 40 * (value.count + 15))
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` for literals, which would be integers of the machine's word otherwise.
    fileprivate func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        try withUnsafeBytes(body)
    }
}
