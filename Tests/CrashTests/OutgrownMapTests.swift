import CLibrary
import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

/// View files that outgrow what is mapped of them: elsewhere a matter of gigabytes.
struct OutgrownMapTests {
    private static let song = TableDefinition(
        number: 2, kind: .record, name: "Song", classNumber: 1, classVersion: 1)
    private static let byTitle = TableDefinition(number: 3, kind: .ordered, name: "Song.1")

    /// Of one byte, but for numbers of the row and, now and then, of the position.
    private func value(of row: RowID) -> [UInt8] {
        let count = 2000 + Int(row.rawValue % 500)
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: row.index * 31), count: count)
        for offset in stride(from: 0, to: count, by: 128) { bytes[offset] = UInt8(offset / 128) }
        for byte in 1...4 { bytes[byte] = UInt8(truncatingIfNeeded: row.index >> (8 * byte - 8)) }
        return bytes
    }

    private func holds(_ buffer: DataBuffer, valueOf row: RowID) -> Bool {
        let value = value(of: row)
        return buffer.withUnsafeBytes { bytes in
            bytes.count == value.count && memcmp(bytes.baseAddress!, value, value.count) == 0
        }
    }

    private func key(of row: RowID) -> [UInt8] {
        Array("title \(row.rawValue * 7919 % 10007)".utf8)
    }

    private func save(_ rows: Range<RowID>, to backend: TokyoBackend, defining: Bool) throws {
        let batch = backend.makeBatch()
        if defining {
            try batch.define(Self.song)
            try batch.define(Self.byTitle)
        }
        for row in rows {
            let record = batch.beginRecord(row, in: 2)
            value(of: row).withUnsafeBytes { record.writeRawBytes($0) }
            try batch.endRecord()
            try key(of: row).withUnsafeBytes { key in
                try value(of: row).withUnsafeBytes { value in
                    try batch.put(value, for: key, in: 3)
                }
            }
        }
        _ = try backend.commit(batch)
    }

    private func check(
        _ backend: TokyoBackend, rows: Range<RowID>, isSound: Bool = true
    ) async throws {
        let buffer = DataBuffer()
        for row in rows {
            #expect(try backend.value(of: row, in: 2, into: buffer))
            #expect(holds(buffer, valueOf: row), "row \(row)")
            let isThere = try key(of: row).withUnsafeBytes { key in
                try backend.value(forKey: key, in: 3, into: buffer)
            }
            #expect(isThere && holds(buffer, valueOf: row))
        }
        #expect(try backend.count(of: 2) == rows.count)
        #expect(try backend.count(of: 3) == rows.count)
        if isSound { #expect(try await backend.check().isSound) }
    }

    /// What had outgrown its map was unmapped, and could not be mapped again under its name.
    @Test(arguments: ["Song", "NamedBuffers", "Journal/Catalog"], [false, true])
    func aViewThatIsGoneUnderItsNameOutgrowsItsMap(_ view: String, isRemoved: Bool) async throws {
        let directory = ScratchDirectory()
        let files = SmallMaps()
        let backend = try StoreUnderTest.open(
            directory.path, durability: .process, files: files
        ).backend
        _ = try backend.reserveRows(2000, in: 2)
        try save(2..<10, to: backend, defining: true)
        let path = directory.path + "/" + view
        if isRemoved {
            try files.remove(path)
        } else {
            try files.rename(path, to: path + ".renamed")
        }
        for start in stride(from: 10, to: 1010, by: 100) as StrideTo<RowID> {
            try save(start..<start.advanced(by: 100), to: backend, defining: false)
        }
        try await check(backend, rows: 2..<1010, isSound: false)
        try backend.close()
        let again = try StoreUnderTest.open(
            directory.path, durability: .process, files: files
        ).backend
        try await check(again, rows: 2..<1010)
        try again.close()
    }

    @Test func whatIsWrittenBehindTheMapIsThere() async throws {
        let directory = ScratchDirectory()
        let files = SmallMaps()
        let backend = try StoreUnderTest.open(
            directory.path, durability: .process, files: files
        ).backend
        _ = try backend.reserveRows(2000, in: 2)
        for start in stride(from: 2, to: 2002, by: 100) as StrideTo<RowID> {
            try save(start..<start.advanced(by: 100), to: backend, defining: start == 2)
        }
        #expect(files.openingsOfSongs > 2)
        try await check(backend, rows: 2..<2002)
        try backend.close()

        // Rebuilt views outgrow their first map at once.
        try SystemFiles().remove(directory.path + "/Song")
        for name in try SystemFiles().list(directory.path) where name.hasSuffix(".run") {
            try SystemFiles().remove(directory.path + "/" + name)
        }
        let again = SmallMaps()
        let rebuilt = try StoreUnderTest.open(
            directory.path, durability: .process, files: again
        ).backend
        #expect(again.openingsOfSongs > 1)
        try await check(rebuilt, rows: 2..<2002)
        try save(2002..<2102, to: rebuilt, defining: false)
        try await check(rebuilt, rows: 2..<2102)
        try rebuilt.close()
    }
}
