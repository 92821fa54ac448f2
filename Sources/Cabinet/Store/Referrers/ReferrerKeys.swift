import CabinetBackend

/// The keys of the table of referrers. Values are empty.
///
/// Each reference stands there twice, so that it can be found from both ends:
/// `0, target class, target row, owner class, owner row` and
/// `1, owner class, owner row, target class, target row`, the classes a byte each and the rows
/// 4 bytes big-endian, so that keys sort by them.
enum ReferrerKeys {
    typealias ClassRow = WrittenReferences.Target

    enum Direction: UInt8 {
        case byTarget = 0
        case byOwner = 1
    }

    static let length = 11

    static func key(_ direction: Direction, _ first: ClassRow, _ second: ClassRow) -> [UInt8] {
        prefix(direction, first) + bytes(of: second)
    }

    static func prefix(_ direction: Direction, _ classRow: ClassRow) -> [UInt8] {
        [direction.rawValue] + bytes(of: classRow)
    }

    /// A key that is never there, which commits delete that refer to `target` newly: a commit that
    /// deletes the target compares it with its basis.
    static func arrival(at target: ClassRow) -> [UInt8] { [2] + bytes(of: target) }

    /// What follows the last key of a direction.
    static func end(_ direction: Direction) -> [UInt8] { [direction.rawValue + 1] }

    /// Calls `body` with the two keys of one reference, that by target first. They are made in
    /// place: a save makes two for each reference.
    static func withBoth(
        _ owner: ClassRow, _ target: ClassRow, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        try withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { room in
            for direction in [Direction.byTarget, .byOwner] {
                let classRows = direction == .byTarget ? (target, owner) : (owner, target)
                room[0] = direction.rawValue
                write(classRows.0, to: room, at: 1)
                write(classRows.1, to: room, at: 6)
                try body(UnsafeRawBufferPointer(room))
            }
        }
    }

    private static func write(
        _ classRow: ClassRow, to room: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        room[offset] = classRow.classNumber
        room.storeBytes(
            of: classRow.row.rawValue.bigEndian, toByteOffset: offset + 1, as: UInt32.self)
    }

    /// A key, taken apart.
    struct Entry {
        let direction: Direction
        let owner: ClassRow
        let target: ClassRow

        /// `nil` for bytes that are no key.
        init?(_ key: UnsafeRawBufferPointer) {
            guard let second = ReferrerKeys.second(of: key),
                let direction = Direction(rawValue: key[0])
            else { return nil }
            let row = key.loadUnaligned(fromByteOffset: 2, as: UInt32.self)
            let first = ClassRow(classNumber: key[1], row: RowID(UInt32(bigEndian: row)))
            self.init(
                direction, owner: direction == .byOwner ? first : second,
                target: direction == .byOwner ? second : first)
        }

        private init(_ direction: Direction, owner: ClassRow, target: ClassRow) {
            self.direction = direction
            self.owner = owner
            self.target = target
        }

        /// The key for the same reference from its other end.
        var mirror: Entry {
            Entry(direction == .byOwner ? .byTarget : .byOwner, owner: owner, target: target)
        }

        var bytes: [UInt8] {
            direction == .byOwner
                ? key(direction, owner, target) : key(direction, target, owner)
        }
    }

    /// The second class and row of a key; `nil` for bytes that are no key.
    static func second(of key: UnsafeRawBufferPointer) -> ClassRow? {
        guard key.count == length else { return nil }
        let row = key.loadUnaligned(fromByteOffset: 7, as: UInt32.self)
        return ClassRow(classNumber: key[6], row: RowID(UInt32(bigEndian: row)))
    }

    private static func bytes(of classRow: ClassRow) -> [UInt8] {
        withUnsafeBytes(of: classRow.row.rawValue.bigEndian) { [classRow.classNumber] + $0 }
    }
}
