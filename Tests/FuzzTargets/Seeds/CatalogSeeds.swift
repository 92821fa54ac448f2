import CabinetBackend
import CabinetTokyo
import TrustSupport

enum CatalogSeeds {
    static var all: [FuzzSeed] {
        [
            FuzzSeed("entry", [0] + CatalogEntry(SegmentSeeds.tables[1].definition).json()),
            FuzzSeed(
                "legacy-entry",
                [0]
                    + Array(
                        #"{"checksums":false,"classNumber":1,"classVersion":3,"#.utf8)
                    + Array(
                        #""keyForm":"legacy","kind":"record","name":"Song","number":2,"#.utf8)
                    + Array(#""salt":[1,2,255]}"#.utf8)),
            FuzzSeed("tables", [1] + bytes { TableList.write(SegmentSeeds.tables, to: $0) }),
            FuzzSeed("session", [2] + bytes { SegmentSeeds.session.write(to: $0) }),
            FuzzSeed("marker", [3] + marker),
        ]
    }

    /// Magic, format, store, last commit, snapshot, one segment, the tables, and a seal for each.
    private static var marker: [UInt8] {
        var result = bytes { buffer in
            buffer.writeUInt64(0x006E_6C43_6E62_6143)
            buffer.writeUInt32(1)
            for number in [0x5EED, 9, 0] as [UInt64] { buffer.writeUInt64(number) }
            buffer.writeUInt32(1)
            buffer.writeUInt64(1)
            buffer.writeUInt64(4096)
            TableList.write(SegmentSeeds.tables, to: buffer)
            for _ in SegmentSeeds.tables {
                buffer.writeUInt64(1 << 16)
                buffer.writeUInt64(7)
                buffer.writeUInt32(0xABCD)
                buffer.writeBool(true)
            }
            buffer.writeUInt32(0)
        }
        SumRepair.end(of: &result)
        return result
    }

    private static func bytes(_ write: (DataBuffer) -> Void) -> [UInt8] {
        let buffer = DataBuffer()
        write(buffer)
        return buffer.withUnsafeBytes { Array($0) }
    }
}
