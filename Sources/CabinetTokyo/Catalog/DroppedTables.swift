import CabinetBackend

/// The numbers of derived ordered tables that were dropped, each with the commit that dropped it, as the
/// catalog has them under `dropped`: in ascending order, UInt16 number and UInt64 commit, little-endian.
///
/// Once a snapshot holds that commit, nothing that is read again names the table, and its number may be
/// another one's. Numbers of other tables are never used again: IDs of objects have them.
struct DroppedTables: Equatable {
    private(set) var commits: [TableNumber: CommitNumber] = [:]

    private static let size = 10

    init() {}

    /// What cannot be understood names no number.
    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count % Self.size == 0 else { return }
        for offset in stride(from: 0, to: bytes.count, by: Self.size) {
            let number = UInt16(
                littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            let commit = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt64.self))
            guard number >= TableNumber.firstFree.rawValue else { continue }
            commits[TableNumber(number)] = CommitNumber(commit)
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(commits.count * Self.size)
        for (number, commit) in commits.inOrder(by: { $0.key < $1.key }) {
            withUnsafeBytes(of: number.rawValue.littleEndian) { bytes += $0 }
            withUnsafeBytes(of: commit.rawValue.littleEndian) { bytes += $0 }
        }
        return bytes
    }

    /// `commit` drops that table.
    mutating func note(_ table: TableDefinition, droppedBy commit: CommitNumber) {
        guard table.kind == .ordered, table.flags.contains(.derived) else { return }
        commits[table.number] = commit
    }

    /// A table has the number now.
    mutating func remove(_ number: TableNumber) { commits[number] = nil }

    /// How many of the tables were dropped after `commit`.
    func count(after commit: CommitNumber) -> Int { commits.values.count { $0 > commit } }
}
