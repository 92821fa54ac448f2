import CabinetBackend

/// Seals the records of one table of a hash file, one by one.
///
/// A row keeps its key in the file; its value is sealed, and bound to table and row. A name has a
/// ``NameCode`` in the place of its key; what is sealed then is the length of the name (UInt32), the name and the
/// value, bound to table and code.
final class TableSeal: Sendable {
    let sealer: any Sealer
    let table: TableNumber
    let hasNames: Bool

    private static let nameHead = 4

    init(_ sealer: any Sealer, _ table: TableNumber, hasNames: Bool) {
        self.sealer = sealer
        self.table = table
        self.hasNames = hasNames
    }

    private func binding(_ fileKey: UnsafeRawBufferPointer) -> SealBinding {
        SealBinding(hasNames ? .name : .row, table, fileKey: fileKey)
    }

    func code(of name: UnsafeRawBufferPointer) -> NameCode { sealer.code(of: name, in: table) }

    // MARK: Sealing

    /// How many bytes a record takes beside its key in the file.
    func size(name: Int, value: Int) -> Int {
        SealedPiece.overhead + value + (hasNames ? Self.nameHead + name : 0)
    }

    /// Seals a row's value, to where ``size(name:value:)`` bytes are free.
    func seal(
        _ value: UnsafeRawBufferPointer, _ fileKey: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawPointer
    ) {
        sealer.seal(value, binding(fileKey), to: target)
    }

    /// Seals a name and its value.
    /// - Parameter room: as many bytes as `target` has.
    func seal(
        _ value: UnsafeRawBufferPointer, named name: UnsafeRawBufferPointer,
        _ fileKey: UnsafeRawBufferPointer, in room: UnsafeMutableRawPointer,
        to target: UnsafeMutableRawPointer
    ) {
        room.put(UInt32(truncatingIfNeeded: name.count), at: 0)
        let start = Self.nameHead + name.count
        if let bytes = name.baseAddress {
            (room + Self.nameHead).copyMemory(from: bytes, byteCount: name.count)
        }
        if let bytes = value.baseAddress {
            (room + start).copyMemory(from: bytes, byteCount: value.count)
        }
        sealer.seal(
            UnsafeRawBufferPointer(start: room, count: start + value.count), binding(fileKey),
            to: target)
    }

    // MARK: Opening

    /// Calls `body` with the name and the value in a record. `nil`: it is damaged.
    func withOpened<Result>(
        _ content: UnsafeRawBufferPointer, _ fileKey: UnsafeRawBufferPointer,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard content.count >= SealedPiece.overhead else { return nil }
        let size = content.count - SealedPiece.overhead
        return withUnsafeTemporaryAllocation(byteCount: max(size, 1), alignment: 16) { room in
            guard let (key, value) = open(content, fileKey, to: room) else { return nil }
            return body(key, value)
        }
    }

    /// Opens a record to `room`, which has the space. Both live as long as `room` and `fileKey`.
    func open(
        _ content: UnsafeRawBufferPointer, _ fileKey: UnsafeRawBufferPointer,
        to room: UnsafeMutableRawBufferPointer
    ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard content.count >= SealedPiece.overhead, let base = room.baseAddress,
            fileKey.count <= NameCode.size, sealer.open(content, binding(fileKey), to: base)
        else { return nil }
        let plain = UnsafeRawBufferPointer(
            start: base, count: content.count - SealedPiece.overhead)
        guard hasNames else { return (fileKey, plain) }
        guard plain.count >= Self.nameHead else { return nil }
        let length = Int(UnsafeRawPointer(base).get(UInt32.self, at: 0))
        let end = Self.nameHead + length
        guard end <= plain.count else { return nil }
        return (
            UnsafeRawBufferPointer(rebasing: plain[Self.nameHead..<end]),
            UnsafeRawBufferPointer(rebasing: plain[end...])
        )
    }
}

/// Memory for a record that was opened, until the next one is.
///
/// Not `Sendable`: it belongs to one reader.
final class OpenedRecord {
    private(set) var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)

    deinit { bytes.deallocate() }

    /// Sees that there is space for `count` bytes. What was there before is gone.
    func reserve(_ count: Int) {
        guard count > bytes.count else { return }
        bytes.deallocate()
        bytes = .allocate(byteCount: count, alignment: 16)
    }
}
