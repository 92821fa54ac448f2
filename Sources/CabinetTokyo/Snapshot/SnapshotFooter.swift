import CChecksum
import CabinetBackend

/// The tables of a snapshot, behind its last block, and the mark that ends the file.
///
/// The footer is, for each table in the order of their numbers: UInt16 number, UInt8 kind, UInt8
/// class number, UInt8 class version, UInt8 flags, UInt8 length of the name, UInt64 count, UInt64
/// bytes of entries, UInt64 last commit, UInt32 highest row, UInt64 offset of the first block (0: none),
/// name. In a sealed store it is sealed, and bound to the header.
///
/// The end mark is the file's last 32 bytes:
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CabSnEnd` |
/// | 8 | UInt64 where the footer begins |
/// | 16 | UInt64 length of the footer, which the end mark follows |
/// | 24 | UInt32 CRC-32C of the footer |
/// | 28 | UInt32 CRC-32C of the file's own CRC (UInt64), going on over the 28 bytes above |
enum SnapshotFooter {
    static let endSize = 32
    static let magic = Array("CabSnEnd".utf8)
    static let fixedSize = 43
    static let longestName = Int(UInt8.max)
    static let longest =
        UInt64(fixedSize + longestName) << 16 + UInt64(SealedPiece.overhead)

    /// Footer and end mark of a file whose footer begins at `offset`.
    ///
    /// - Parameters:
    ///   - header: the file's, to which a footer is bound that `sealer` seals.
    static func encode(
        _ tables: [SnapshotTable], at offset: UInt64, fileSum: UInt32, header: [UInt8] = [],
        sealer: (any Sealer)? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for table in tables {
            let definition = table.state.definition
            bytes.append(littleEndian: definition.number.rawValue)
            bytes.append(definition.kind.rawValue)
            bytes.append(definition.classNumber)
            bytes.append(definition.classVersion)
            bytes.append(definition.flags.rawValue)
            bytes.append(UInt8(truncatingIfNeeded: definition.name.utf8.count))
            bytes.append(littleEndian: table.count)
            bytes.append(littleEndian: table.bytes)
            bytes.append(littleEndian: table.state.lastCommit.rawValue)
            bytes.append(littleEndian: table.state.highestRow.rawValue)
            bytes.append(littleEndian: table.firstBlock)
            bytes.append(contentsOf: definition.name.utf8)
        }
        if let sealer { bytes = sealer.sealed(bytes, boundTo: header) }
        var end = magic
        end.append(littleEndian: offset)
        end.append(littleEndian: UInt64(bytes.count))
        end.append(littleEndian: cabinet_crc32c(0, bytes, bytes.count))
        end.append(littleEndian: sum(end, fileSum: fileSum))
        return bytes + end
    }

    /// Where the footer is, from the end mark of a file of `fileSize` bytes; `nil` if damaged.
    static func locate(
        _ end: [UInt8], fileSize: UInt64, fileSum: UInt32
    ) -> (offset: UInt64, length: Int, sum: UInt32)? {
        var fields = FieldReader(end)
        guard end.count == endSize, let magic = fields.take(magic.count),
            magic.elementsEqual(Self.magic),
            let offset = fields.integer(UInt64.self), let length = fields.integer(UInt64.self),
            let footerSum = fields.integer(UInt32.self), let endSum = fields.integer(UInt32.self),
            endSum == sum(Array(end.dropLast(4)), fileSum: fileSum),
            length <= longest, offset >= UInt64(SnapshotHeader.size), offset <= fileSize,
            fileSize - offset == length + UInt64(endSize)
        else { return nil }
        return (offset, Int(length), footerSum)
    }

    /// The tables in a footer that begins at `offset`; `nil` if they are impossible.
    static func decode(_ bytes: [UInt8], at offset: UInt64) -> [SnapshotTable]? {
        var fields = FieldReader(bytes)
        var tables: [SnapshotTable] = []
        // Blocks follow the header, and each table's follow those of the table before.
        let blocks = UInt64(SnapshotHeader.size)..<offset
        var lastBlock: UInt64?
        while fields.remaining > 0 {
            guard let table = table(from: &fields),
                tables.last.map({ $0.number < table.number }) ?? true
            else { return nil }
            if table.count > 0 {
                guard blocks.contains(table.firstBlock),
                    lastBlock.map({ $0 < table.firstBlock })
                        ?? (table.firstBlock == blocks.lowerBound)
                else { return nil }
                lastBlock = table.firstBlock
            } else if table.firstBlock != 0 {
                return nil
            }
            tables.append(table)
        }
        guard lastBlock != nil || blocks.isEmpty else { return nil }
        return tables
    }

    private static func table(from fields: inout FieldReader) -> SnapshotTable? {
        guard let number = fields.integer(UInt16.self),
            let kind = fields.integer(UInt8.self).flatMap(TableKind.init(rawValue:)),
            let classNumber = fields.integer(UInt8.self),
            let classVersion = fields.integer(UInt8.self),
            let flags = fields.integer(UInt8.self),
            let nameLength = fields.integer(UInt8.self),
            let count = fields.integer(UInt64.self), let bytes = fields.integer(UInt64.self),
            let lastCommit = fields.integer(UInt64.self),
            let highestRow = fields.integer(UInt32.self),
            let firstBlock = fields.integer(UInt64.self),
            let name = fields.take(Int(nameLength)).flatMap({
                String(validating: $0, as: UTF8.self)
            })
        else { return nil }
        let definition = TableDefinition(
            number: TableNumber(number), kind: kind, name: name,
            classNumber: classNumber, classVersion: classVersion,
            flags: TableFlags(rawValue: flags))
        return SnapshotTable(
            state: TableState(
                definition: definition, lastCommit: CommitNumber(lastCommit),
                highestRow: RowID(highestRow)),
            count: count, bytes: bytes, firstBlock: firstBlock)
    }

    private static func sum(_ end: [UInt8], fileSum: UInt32) -> UInt32 {
        cabinet_crc32c(checksum(of: UInt64(fileSum)), end, end.count)
    }
}
