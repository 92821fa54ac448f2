import CLibrary
import CTokyoCabinet
import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A file that we close must be the file that the library would have closed, whatever fails.
struct LibraryClosingTests {
    let directory = ScratchDirectory()
    let files = SystemFiles()

    /// Fills a file so that `holes` free blocks are in it, of different sizes and some of them
    /// neighbours.
    private func fill(_ handle: UnsafeMutablePointer<TCHDB>, holes: Int) {
        for row in 0..<holes * 3 {
            let value = String(repeating: "v", count: row * 7 % 300)
            let key = "\(row)"
            let isDone = tchdbput(
                handle, key, Int32(key.utf8.count), value, Int32(value.utf8.count))
            #expect(isDone)
        }
        for row in 0..<holes * 3 where row % 3 != 0 && (row % 3 == 1 || row % 5 == 0) {
            let key = "\(row)"
            let isDone = tchdbout(handle, key, Int32(key.utf8.count))
            #expect(isDone)
        }
    }

    private func make(_ name: String, large: Bool) throws -> UnsafeMutablePointer<TCHDB> {
        let handle = try #require(tchdbnew())
        tchdbtune(
            handle, 5000, HashSizing.alignmentPower, -1, large ? UInt8(HDBTLARGE) : 0)
        try #require(
            tchdbopen(handle, directory.file(name), Int32(HDBOWRITER | HDBOCREAT | HDBONOLCK)))
        return handle
    }

    /// The library keeps up to 1,024 free blocks, 2,048 while the file is open.
    @Test(arguments: [0, 1, 400, 700, 1300, 3000], [false, true])
    func theClosedFileIsTheLibrarys(_ holes: Int, _ large: Bool) throws {
        let ours = try make("ours", large: large)
        let theirs = try make("theirs", large: large)
        fill(ours, holes: holes)
        fill(theirs, holes: holes)
        let size = ours.pointee.fsiz
        #expect((holes > 0) == (ours.pointee.fbpnum > 0))
        #expect(tchdbclose(theirs))
        tchdbdel(theirs)
        #expect(LibraryClosing.close(ours))
        let file = try files.open(directory.file("ours"), for: .writing)
        try files.truncate(file, to: size)
        let content = FileManager.default.contents(atPath: directory.file("ours"))
        #expect(content == FileManager.default.contents(atPath: directory.file("theirs")))
        #expect(content?.count == Int(size))
    }

    /// A list that names what is no free block would have the library write over records.
    @Test func whatIsNoFreeBlockIsNotListed() throws {
        let handle = try make("file", large: false)
        fill(handle, holes: 10)
        let pool = try #require(handle.pointee.fbpool)
        let count = handle.pointee.fbpnum
        pool.storeBytes(of: handle.pointee.frec, as: UInt64.self)
        #expect(LibraryClosing.close(handle))
        let again = try #require(tchdbnew())
        #expect(tchdbopen(again, directory.file("file"), Int32(HDBOWRITER | HDBONOLCK)))
        #expect(again.pointee.fbpnum == count - 1)
        #expect(LibraryClosing.close(again))
    }

    /// The library would give back room through its own descriptor, and crash when that fails.
    @Test func aHashFileIsClosedWithoutTheLibrarysTruncation() throws {
        let file = try HashFile(
            making: directory.file("hash"), HashSizing(count: 10, bytes: 0), room: 1 << 20,
            files: files)
        let writer = try #require(file.writer)
        let isDone = tchdbput(writer, "key", 3, "value", 5)
        #expect(isDone)
        file.noteGrowth()
        refuseChanges(of: file.path, through: writer.pointee.fd)
        try file.endWriting()
        #expect(file.image.recordCount == 1)
        #expect(try files.status(of: file.path)?.size == file.image.end)
    }

    /// Puts a descriptor in the place of the library's through which nothing can be changed.
    private func refuseChanges(of path: String, through descriptor: Int32) {
        let other = open(path, O_RDONLY)
        #expect(dup2(other, descriptor) == descriptor)
        close(other)
        #expect(ftruncate(descriptor, 0) == -1)
    }
}
