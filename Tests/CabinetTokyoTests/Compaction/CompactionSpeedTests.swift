import CChecksum
import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

/// How fast compaction is and how much memory it takes: `swift test -c release -Xswiftc
/// -enable-testing --filter CompactionSpeed` with `CABINET_SPEED` set to a number of records.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CABINET_SPEED"] != nil), .serialized)
struct CompactionSpeedTests {
    let directory = ScratchDirectory(inMemory: false)
    let files = SystemFiles()
    let records =
        UInt32(ProcessInfo.processInfo.environment["CABINET_SPEED"] ?? "") ?? 1_000_000

    /// Rows that hold "Test Song" and a number, 25 bytes, made as they are asked for.
    private final class Songs: OperationSource {
        private let count: UInt32
        private let step: UInt64
        private var done: UInt64 = 0
        private let commitNumber: CommitNumber
        private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 29, alignment: 8)
        private let digits = UnsafeMutablePointer<UInt8>.allocate(capacity: 10)
        private var isDefined = false

        /// `step` says how the rows follow each other; it must share no factor with `count`.
        init(_ count: UInt32, step: UInt64, commitNumber: CommitNumber) {
            self.count = count
            self.step = step
            self.commitNumber = commitNumber
            bytes.copyBytes(from: Array("Test Song 0000000000.....".utf8) + [0, 0, 0, 0])
        }

        deinit {
            bytes.deallocate()
            digits.deallocate()
        }

        func next() throws(BackendError) -> CommittedOperation? {
            if !isDefined {
                isDefined = true
                let song = TableDefinition(number: 2, kind: .record, name: "Song")
                return .operation(.define(song), commitNumber: commitNumber)
            }
            guard done < UInt64(count) else { return nil }
            let row = RowID(UInt32(done * step % UInt64(count)) + 2)
            done += 1
            var rest = row.rawValue
            for place in (10..<20).reversed() {
                bytes[place] = UInt8(rest % 10) + 48
                rest /= 10
            }
            bytes.storeBytes(of: row.rawValue &* 2_654_435_761, toByteOffset: 20, as: UInt32.self)
            let first = DecimalKey.write(row, to: digits)
            let sum = cabinet_crc32c(
                cabinet_crc32c(0, digits + first, 10 - first), bytes.baseAddress, 25)
            bytes.storeBytes(of: sum.littleEndian, toByteOffset: 25, as: UInt32.self)
            let stored = UnsafeRawBufferPointer(bytes)
            return .operation(
                .putRow(table: 2, row: row, stored: stored), commitNumber: commitNumber)
        }
    }

    private func measure(_ name: String, _ body: () throws -> Void) throws {
        let start = ContinuousClock.now
        try body()
        let time = ContinuousClock.now - start
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
        print("\(name), \(records) records: \(time), peak \(peak)")
    }

    private func compact(
        _ source: Songs, over old: String?, into name: String, commitNumber: CommitNumber
    ) throws {
        let path = directory.file(name)
        try measure(name) {
            let result = try Compactor.compact(
                files: files, directory: directory.path, snapshot: old.map(directory.file),
                segments: [source], into: path, commitNumber: commitNumber, storeID: 1)
            #expect(result?.written == UInt64(records))
        }
        print("    \(try #require(try files.status(of: path)).size) bytes")
    }

    @Test func compactionOfManyRecords() throws {
        try compact(
            Songs(records, step: 1, commitNumber: 1), over: nil, into: "ascending", commitNumber: 1)
        try compact(
            Songs(records, step: 7_368_787, commitNumber: 2), over: nil, into: "scattered",
            commitNumber: 2)
        try compact(
            Songs(10, step: 1, commitNumber: 3), over: "scattered", into: "ten changed",
            commitNumber: 3)
        try compact(
            Songs(records, step: 7_368_787, commitNumber: 4), over: "ten changed",
            into: "all changed",
            commitNumber: 4)
        let reader = try SnapshotReader(
            files: files, path: directory.file("all changed"), expectedStoreID: 1)
        try measure("reading") {
            var count: UInt64 = 0
            try reader.forEachOperation(in: nil) { _ in count += 1 }
            #expect(count == UInt64(records))
        }
        try measure("verifying") {
            let isWhole = try reader.verify()
            #expect(isWhole)
        }
    }
}
