import CTokyoCabinet
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct ViewFileTests {
    let directory = ScratchDirectory()
    let files = SystemFiles()

    private func bytes<Result>(
        _ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try Array(text.utf8).withUnsafeBytes(body)
    }

    /// Many buckets are a hole in the file, which must be as if they had been written.
    @Test(arguments: [4093, 65_536, 65_537, 300_000] as [Int64], [false, true])
    func anEmptyHashFileIsAsTheLibraryMakesIt(_ buckets: Int64, _ large: Bool) throws {
        var sizing = HashSizing(count: 100, bytes: 0)
        sizing.isLarge = large
        sizing.buckets = buckets
        let file = try HashFile(
            making: directory.file("ours"), sizing, room: 1 << 20, files: files)
        #expect(file.image.bucketCount >= UInt64(buckets))
        try file.endWriting()
        let library = try #require(tchdbnew())
        let path = directory.file("library")
        tchdbtune(
            library, buckets, HashSizing.alignmentPower, -1, large ? UInt8(HDBTLARGE) : 0)
        #expect(tchdbopen(library, path, Int32(HDBOWRITER | HDBOCREAT)))
        #expect(tchdbclose(library))
        tchdbdel(library)
        let ours = FileManager.default.contents(atPath: file.path)
        #expect(ours == FileManager.default.contents(atPath: path))
        #expect(ours?.isEmpty == false)
    }

    @Test(arguments: [false, true])
    func aHashFileIsReadAsTheLibraryWroteIt(_ large: Bool) throws {
        var sizing = HashSizing(count: 100, bytes: 0)
        sizing.isLarge = large
        sizing.buckets = 50
        let file = try HashFile(
            making: directory.file("hash"), sizing, room: 1 << 20, files: files)
        let writer = try #require(file.writer)
        var expected: [String: String] = [:]
        for index in 0..<2000 {
            let key = "\(index % 700)"
            let value = String(repeating: "\(index),", count: index % 90)
            if index % 11 == 0 {
                tchdbout(writer, key, Int32(key.utf8.count))
                expected[key] = nil
            } else {
                #expect(
                    tchdbput(
                        writer, key, Int32(key.utf8.count), value, Int32(value.utf8.count)))
                expected[key] = value
            }
            #expect(file.writer.map { $0.pointee.fsiz } ?? 0 <= (1 << 20) + file.image.firstRecord)
        }
        file.noteGrowth()
        #expect(file.count == UInt64(expected.count))
        #expect(file.image.firstDamage(.bare) == nil)
        for index in 0..<800 {
            let found = bytes("\(index)") { key -> String? in
                guard case .value(let value) = file.image.find(key) else { return nil }
                return String(decoding: value, as: UTF8.self)
            }
            #expect(found == expected["\(index)"])
        }
        try file.endWriting()
        var walked: [String: String] = [:]
        try file.forEachRecord { key, value in
            walked[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        #expect(walked == expected)
        let again = try file.laidOut(
            as: HashSizing(count: 5000, bytes: 0), at: directory.file("copy"), .bare)
        #expect(again.count == UInt64(expected.count))
        #expect(again.image.firstDamage(.bare) == nil)
        #expect(again.image.bucketCount >= 10_000)
    }

    @Test func aMarkComesBackAndNoByteOfItMayChange() {
        let place = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
        defer { place.deallocate() }
        let mark = ViewMark(store: 5, applied: 7, synced: 6, table: .song)
        mark.write(at: place)
        #expect(ViewMark(at: place) == mark)
        ViewMark.setBusy(at: place)
        #expect(ViewMark(at: place)?.isBusy == true)
        mark.write(at: place)
        for offset in 0..<64 where !(4..<8).contains(offset) {
            place.storeBytes(
                of: place.load(fromByteOffset: offset, as: UInt8.self) ^ 4, toByteOffset: offset,
                as: UInt8.self)
            #expect(ViewMark(at: place) == nil)
            mark.write(at: place)
        }
    }
}
