import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// A store that a newer program has written is said to be one, whatever part of it is newer, and
/// is left as it is: never called damaged, and never cut.
struct NewerFormatTests {
    let directory = ScratchDirectory(inMemory: true)
    var path: String { directory.file("Music") }
    private var paths: StorePaths { StorePaths(root: path) }

    enum Part: CaseIterable, Sendable {
        case lastSegment, firstSegment, everySegment, snapshot, cleanMarker, catalog
    }

    /// A snapshot and two segments behind it.
    private func make(close: Bool, _ part: Part) throws {
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(.song)
        for row in 2..<12 as Range<RowID> { try batch.put("song \(row)", at: row, in: 2) }
        try backend.commit(batch)
        try backend.compact()
        _ = try backend.put("song 20", at: 20, in: 2)
        try backend.commitLog.roll(tables: backend.tableStates)
        _ = try backend.put("song 21", at: 21, in: 2)
        if part == .catalog { try makeCatalogNewer(backend) }
        if close {
            try backend.close()
        } else {
            let copy = directory.file("Copy")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try backend.close()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: copy, toPath: path)
        }
    }

    private func makeCatalogNewer(_ backend: TokyoBackend) throws {
        var entry = StoreEntry(backend.identity)
        entry.format = StoreEntry.knownFormat + 1
        let batch = backend.makeBatch()
        try batch.putCatalog(entry.json(), for: CatalogKey.store)
        try backend.commit(batch)
    }

    private func change(_ file: String, _ body: (inout [UInt8]) throws -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        try body(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
    }

    private func raiseSegment(_ number: UInt64) throws {
        try change(paths.segment(number)) { bytes in
            var header = try bytes.withUnsafeBytes { try SegmentHeader($0, path: "") }
            // The last format known is that of sealed segments.
            header.format = SegmentHeader.format + 1
            bytes.replaceSubrange(..<128, with: header.bytes())
        }
    }

    /// Raises the format at byte 8 above what is known, and makes the sum right over all that stands before it.
    private func raise(_ file: String, above known: UInt32, sumAt place: (Int) -> Int) throws {
        try change(file) { bytes in
            bytes[8] = UInt8(known + 1)
            let end = place(bytes.count)
            let sum = bytes[..<end].withUnsafeBytes { $0.checksum() }
            bytes.replaceSubrange(
                end..<end + 4, with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        }
    }

    /// Makes a part of the store newer. Returns what a program of today says then.
    private func raise(_ part: Part) throws -> BackendError {
        let known = SegmentHeader.format
        switch part {
        case .lastSegment:
            try raiseSegment(3)
            return .newerFormat(path: paths.segment(3), found: known + 1, known: known)
        case .firstSegment:
            try raiseSegment(2)
            return .newerFormat(path: paths.segment(2), found: known + 1, known: known)
        case .everySegment:
            try raiseSegment(2)
            try raiseSegment(3)
            return .newerFormat(path: paths.segment(3), found: known + 1, known: known)
        case .snapshot:
            let known = SnapshotHeader.format
            try raise(paths.snapshot(1), above: known) { _ in 36 }
            return .newerFormat(path: paths.snapshot(1), found: known + 1, known: known)
        case .cleanMarker:
            try raise(paths.clean, above: 1) { $0 - 4 }
            return .newerFormat(path: paths.clean, found: 2, known: 1)
        case .catalog:
            let known = StoreEntry.knownFormat
            return .newerFormat(path: paths.catalog, found: known + 1, known: known)
        }
    }

    private func contents() throws -> [String: Data] {
        var contents = try content(of: path)
        // It holds the name of the process that looked last.
        contents["Journal/Lock"] = nil
        return contents
    }

    @Test(arguments: Part.allCases, [true, false])
    func isSaidToBeNewerAndLeftAsItIs(_ part: Part, _ closed: Bool) async throws {
        try make(close: closed, part)
        // A store that was killed has no marker that counts.
        if part == .cleanMarker, !closed { return }
        let expected = try raise(part)
        let before = try contents()
        for access in [Access.readOnly, .readWrite] {
            #expect(throws: expected, "\(access)") {
                _ = try TokyoBackend(path: path, access: access)
            }
            #expect(try contents() == before, "\(access)")
        }
        if part != .catalog {
            // It begins with the first segment.
            let first = BackendError.newerFormat(
                path: paths.segment(2), found: SegmentHeader.format + 1,
                known: SegmentHeader.format)
            await #expect(throws: part == .everySegment ? first : expected) {
                _ = try await TokyoBackend.salvage(from: path, into: directory.file("New"))
            }
            #expect(try contents() == before)
        }
    }

    /// The catalog's entry lies in the snapshot alone.
    @Test func isSaidToBeNewerWhereTheSnapshotAloneSaysSo() throws {
        let backend = try TokyoBackend(path: path)
        let batch = backend.makeBatch()
        try batch.define(.song)
        try batch.put("song", at: 2, in: 2)
        try backend.commit(batch)
        try makeCatalogNewer(backend)
        try backend.compact()
        let copy = directory.file("Copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try backend.close()
        let before = try content(of: copy)
        let catalog = copy + "/Journal/Catalog"
        let known = StoreEntry.knownFormat
        #expect(throws: BackendError.newerFormat(path: catalog, found: known + 1, known: known)) {
            _ = try TokyoBackend(path: copy, access: .readOnly)
        }
        #expect(try content(of: copy) == before)
    }

    /// A number that no format has.
    @Test func formatZeroIsDamage() throws {
        try make(close: true, .lastSegment)
        try change(paths.segment(3)) { bytes in
            var header = try bytes.withUnsafeBytes { try SegmentHeader($0, path: "") }
            header.format = 0
            bytes.replaceSubrange(..<128, with: header.bytes())
        }
        #expect(throws: BackendError.corrupt(path: paths.segment(3), offset: 8)) {
            _ = try TokyoBackend(path: path)
        }
    }

    /// Its end may look like anything.
    @Test func aShortSnapshotMayBeANewerOne() throws {
        var (bytes, _) = SnapshotHeader(store: 77, commitNumber: 1, highestTable: 1).encoded()
        let known = SnapshotHeader.format
        bytes[8] = UInt8(known + 1)
        let sum = bytes[..<36].withUnsafeBytes { $0.checksum() }
        bytes.replaceSubrange(36..., with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        let file = directory.file("snapshot")
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        #expect(throws: BackendError.newerFormat(path: file, found: known + 1, known: known)) {
            _ = try SnapshotReader(files: SystemFiles(), path: file, expectedStoreID: 77)
        }
    }
}
