import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct StoreFileFormatTests {
    let scene = DocumentScene()

    private func number<Number: FixedWidthInteger>(
        _ type: Number.Type, _ offset: Int, _ bytes: [UInt8]
    ) -> Number {
        (0..<MemoryLayout<Number>.size).reduce(0) { sum, index in
            sum | Number(truncatingIfNeeded: bytes[offset + index]) << (8 * Number(index))
        }
    }

    @Test func theBytesAreAsTheFormatSays() throws {
        try scene.makeFile()
        let bytes = scene.bytes
        #expect(Array(bytes[..<8]) == Array("CabFile\u{1A}".utf8))
        #expect(number(UInt32.self, 8, bytes) == 1)
        #expect(number(UInt32.self, 12, bytes) == 0)
        #expect(number(UInt64.self, 40, bytes) == 1)
        #expect(number(UInt32.self, 56, bytes) == 8)
        #expect(Array(bytes[96..<104]) == Array("metadata".utf8))
        #expect(Array(bytes[104..<112]) == Array("CabSnap\u{1A}".utf8))
        #expect(number(UInt64.self, 64, bytes) == UInt64(bytes.count - 104))
        for (offset, part) in [(60, 96..<104), (72, 104..<bytes.count), (92, 0..<92)] {
            #expect(number(UInt32.self, offset, bytes) == crc32c(bytes[part]))
        }
    }

    /// CRC-32C by its definition (Castagnoli 1993), bit by bit.
    private func crc32c(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
                sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1
            }
        }
    }

    @Test(arguments: [(8, 2 as UInt8), (12, 4), (15, 0x80)])
    func whatANewerProgramHasWrittenIsRefused(_ offset: Int, _ value: UInt8) throws {
        try scene.makeFile()
        var bytes = scene.bytes
        bytes[offset] = value
        let sum = crc32c(bytes[..<92])
        for index in 0..<4 {
            bytes[92 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(index)))
        }
        try scene.write(bytes)
        #expect(throws: BackendError.newerFormat(path: scene.path, found: 2, known: 1)) {
            try scene.open()
        }
        #expect(scene.bytes == bytes)
    }

    @Test func longMetadataAreReadWhole() throws {
        let working = try scene.open().working
        try scene.fill(working)
        let metadata = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try working.save(metadata)
        try working.finish(discarding: false)
        #expect(try StoreFileReader(scene.path, files: SystemFiles()).metadata == metadata)
        let tooLong = [UInt8](repeating: 0, count: StoreFileReader.longestMetadata + 1)
        let again = try scene.open().working
        #expect(throws: BackendError.tooLarge(limit: StoreFileReader.longestMetadata)) {
            try again.save(tooLong)
        }
        #expect(try scene.names == ["Music.cabinet", "Working"])
        try again.finish(discarding: false)
    }

    /// Every byte turned over and every length: right content, a report of what is missing, or a typed error.
    @Test(.timeLimit(.minutes(5)))
    func aDamagedFileIsNeverTakenForAnother() throws {
        try scene.makeFile()
        let whole = scene.bytes
        let damaged = scene.directory.file("Damaged.cabinet")
        for offset in whole.indices where RunSetting.isTurn(of: offset) {
            var flipped = whole
            flipped[offset] ^= UInt8(1 << (offset % 8))
            for (bytes, what) in [
                (flipped, "byte \(offset) flipped"), (Array(whole[..<offset]), "cut at \(offset)"),
            ] {
                try scene.write(bytes, to: damaged)
                do {
                    let opened = try scene.open(damaged)
                    try expectRight(opened, what)
                    try opened.working.finish(discarding: false)
                } catch let error as BackendError {
                    switch error {
                    case .corrupt, .notAStore, .newerFormat, .olderFormat: break
                    default: Issue.record("\(what): \(error)")
                    }
                }
                #expect(try scene.workingCount == 0, "\(what)")
            }
        }
    }

    private func expectRight(_ opened: WorkingStore.Opened, _ what: String) throws {
        let backend = opened.working.backend
        let hasTable = try backend.tables().contains { $0.number == 2 }
        let rows = hasTable ? try backend.rows(in: 2) : [:]
        for (row, text) in rows { #expect(text == "song \(row)", "\(what)") }
        guard let report = opened.report else {
            #expect(rows.count == 10, "\(what)")
            return
        }
        #expect(!report.lost.isEmpty, "\(what)")
        #expect(throws: WorkingStore.Refusal.standing(.damaged, path: opened.working.path ?? "")) {
            try opened.working.save([])
        }
    }
}
