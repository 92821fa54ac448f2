import CabinetBackend

/// What is left of a snapshot: every block that is whole, wherever it stands.
struct SnapshotSalvage {
    let path: String
    let commitNumber: CommitNumber
    let store: UInt64?
    /// Of the footer; empty if that is damaged.
    let tables: [SnapshotTable]
    let highestTable: TableNumber
    /// Whether head and footer are sound.
    let isWhole: Bool

    private let files: any FileLayer
    private let file: OpenFile
    private let fileSum: UInt32
    private let end: UInt64

    init(files: any FileLayer, path: String, commitNumber: CommitNumber) throws {
        self.files = files
        self.path = path
        self.commitNumber = commitNumber
        file = try files.open(path, for: .reading)
        let size = try files.size(of: file)
        let head = try files.readBytes(
            min(SnapshotHeader.size, Int(clamping: size)), from: file, at: 0)
        let decoded = try? SnapshotHeader.decode(head, path: path, expectedStoreID: nil)
        let reader = try Self.reader(files, path)
        store = decoded?.header.store
        tables = reader?.tables ?? []
        highestTable = reader?.highestTable ?? .namedBuffers
        isWhole = reader?.commitNumber == commitNumber
        end = reader?.footerOffset ?? size
        // Blocks know the file by the sum in its head, also when the rest of it is damaged.
        fileSum = head.withUnsafeBytes { bytes in
            guard bytes.count == SnapshotHeader.size else { return 0 }
            return bytes.baseAddress?.get(UInt32.self, at: SnapshotHeader.size - 4) ?? 0
        }
    }

    /// `nil` if head or footer are damaged.
    private static func reader(
        _ files: any FileLayer, _ path: String
    ) throws(BackendError) -> SnapshotReader? {
        do {
            return try SnapshotReader(files: files, path: path, expectedStoreID: nil)
        } catch {
            if case .corrupt = error { return nil }
            throw error
        }
    }

    /// Calls `body` with every entry of whole blocks. Returns where the damaged ones stand.
    func forEachEntry(
        _ pace: Pace, _ body: (TableEntry) throws -> Void
    ) throws -> [UInt64] {
        let blocks = try BlockReader(
            files: files, file: file, fileSum: fileSum, allowsDeletes: false)
        var damaged: [UInt64] = []
        var offset = UInt64(SnapshotHeader.size)
        while offset < end {
            try pace.check()
            do {
                let next = try blocks.read(at: offset, before: end)
                pace.advance(next - offset)
                while let entry = try blocks.next() { try body(entry) }
                offset = next
            } catch BackendError.corrupt(path, _) {
                damaged.append(offset)
                offset = try nextBlock(from: offset + 1) ?? end
            }
        }
        return damaged
    }

    /// Where the next block's header stands.
    private func nextBlock(from start: UInt64) throws -> UInt64? {
        let window = try ByteWindow(files: files, path: path)
        var position = start
        let size = UInt64(BlockHeader.size)
        while position <= end, end - position >= size {
            let length = min(end - position, 1 << 20)
            guard let bytes = try window.bytes(at: position, length), let base = bytes.baseAddress
            else { return nil }
            let last = bytes.count - BlockHeader.size
            for index in 0...last where bytes[index] == BlockHeader.magic[0] {
                let offset = position + UInt64(index)
                if BlockHeader(at: base + index, fileSum: fileSum, offset: offset) != nil {
                    return offset
                }
            }
            position += UInt64(last + 1)
        }
        return nil
    }
}
