import CabinetBackend

/// A table as the heads of segments, the clean marker and recovery know it.
package struct TableState: Hashable, Sendable {
    package var definition: TableDefinition
    /// The last commit that changed the table; 0 for none.
    package var lastCommit: CommitNumber = 0
    /// The highest row ever committed; 0 for none.
    package var highestRow: RowID = 0

    package init(
        definition: TableDefinition, lastCommit: CommitNumber = 0, highestRow: RowID = 0
    ) {
        self.definition = definition
        self.lastCommit = lastCommit
        self.highestRow = highestRow
    }
}

/// The body of a ``FrameKind/tables`` frame: UInt32 count, then for each table its last commit
/// number (UInt64), its highest row (UInt32), kind, class number, class version, flags (UInt8 each),
/// its number (UInt16), and its name (UInt32 length, UTF-8).
package enum TableList {
    package static func write(_ tables: [TableState], to buffer: DataBuffer) {
        buffer.writeUInt32(UInt32(tables.count))
        for table in tables {
            buffer.writeUInt64(table.lastCommit.rawValue)
            buffer.writeUInt32(table.highestRow.rawValue)
            buffer.writeUInt8(table.definition.kind.rawValue)
            buffer.writeUInt8(table.definition.classNumber)
            buffer.writeUInt8(table.definition.classVersion)
            buffer.writeUInt8(table.definition.flags.rawValue)
            buffer.writeUInt16(table.definition.number.rawValue)
            buffer.writeString(table.definition.name)
        }
    }

    package static func read(from buffer: DataBuffer) throws(DataBufferError) -> [TableState] {
        var tables: [TableState] = []
        for _ in 0..<(try buffer.readUInt32()) {
            let lastCommit = try buffer.readUInt64()
            let highestRow = try buffer.readUInt32()
            let rawKind = try buffer.readUInt8()
            guard let kind = TableKind(rawValue: rawKind) else {
                throw .invalidValue(type: "TableKind", offset: buffer.position)
            }
            let classNumber = try buffer.readUInt8()
            let classVersion = try buffer.readUInt8()
            let flags = TableFlags(rawValue: try buffer.readUInt8())
            let number = try buffer.readUInt16()
            let definition = TableDefinition(
                number: TableNumber(number), kind: kind, name: try buffer.readString(),
                classNumber: classNumber, classVersion: classVersion, flags: flags)
            tables.append(
                TableState(
                    definition: definition, lastCommit: CommitNumber(lastCommit),
                    highestRow: RowID(highestRow)))
        }
        return tables
    }
}
