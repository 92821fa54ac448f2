import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What no caller may do: each of these ends the process before a wrong file can.
struct SnapshotWriterTests {
    /// A snapshot with one record table, 2, and one ordered one, 3.
    private static func withWriter(
        _ body: (inout SnapshotWriter, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let directory = ScratchDirectory(inMemory: false)
        var writer = try SnapshotWriter(
            files: SystemFiles(), path: directory.file("Snapshot"), storeID: 1, commitNumber: 1,
            highestTable: 3)
        let song = TableDefinition(number: 2, kind: .record, name: "Song")
        try writer.define(TableState(definition: song))
        try writer.append(.define(TableDefinition(number: 3, kind: .ordered, name: "Song.1")))
        try [1, 2, 3, 4, 5].withUnsafeBytes { try body(&writer, $0) }
        try writer.finish()
    }

    @Test func inOrderEverythingIsTaken() throws {
        try Self.withWriter { writer, bytes in
            try writer.append(.putRow(table: 2, row: 2, stored: bytes))
            try writer.append(.putRow(table: 2, row: 3, stored: bytes))
            try writer.append(.putKey(table: 3, key: bytes, stored: bytes))
            #expect(writer.count == 3)
        }
    }

    @Test func rowsOutOfOrderTrap() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, bytes in
                try writer.append(.putRow(table: 2, row: 3, stored: bytes))
                try writer.append(.putRow(table: 2, row: 2, stored: bytes))
            }
        }
    }

    @Test func aKeyPutTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, bytes in
                try writer.append(.putKey(table: 3, key: bytes, stored: bytes))
                try writer.append(.putKey(table: 3, key: bytes, stored: bytes))
            }
        }
    }

    @Test func aTableThatIsNotDefinedTraps() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, bytes in
                try writer.append(.putRow(table: 4, row: 2, stored: bytes))
            }
        }
    }

    @Test func aRowOfATableWithKeysTraps() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, bytes in
                try writer.append(.putRow(table: 3, row: 2, stored: bytes))
            }
        }
    }

    @Test func deletesTrap() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, _ in try writer.append(.deleteRow(table: 2, row: 2)) }
        }
    }

    @Test func dropsTrap() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, _ in try writer.append(.drop(table: 2)) }
        }
    }

    @Test func definitionsOutOfOrderTrap() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, _ in
                try writer.append(
                    .define(TableDefinition(number: 3, kind: .ordered, name: "Again")))
            }
        }
    }

    @Test func definitionsBehindRowsTrap() async {
        await #expect(processExitsWith: .failure) {
            try Self.withWriter { writer, bytes in
                try writer.append(.putRow(table: 2, row: 3, stored: bytes))
                try writer.append(
                    .define(TableDefinition(number: 9, kind: .ordered, name: "Late")))
            }
        }
    }
}
