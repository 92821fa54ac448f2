import CabinetBackend

/// What a view file says of itself, in the 64 bytes that Tokyo Cabinet leaves to its users at the
/// end of every file header. Integers are little-endian.
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 4 | magic: `CbVw` |
/// | 4 | 4 | busy: not 0 while the file is being changed |
/// | 8 | 8 | the store's number |
/// | 16 | 8 | applied commit number: the last commit whose changes of this table are all in the file |
/// | 24 | 8 | synced commit number: the highest number known to be durable then |
/// | 32 | 2 | the table's number |
/// | 34 | 1 | the table's kind |
/// | 35 | 1 | 1 |
/// | 36 | 1 | the class's number, of a record table |
/// | 37 | 1 | the class's version when the file was last changed, of a record table |
/// | 38 | 1 | the table's flags when the file was last changed |
/// | 60 | 4 | CRC-32C over bytes 0–3 and 8–59 |
///
/// The rest is 0. The file is mapped: each store below reaches it at once and in this order, so a
/// process that is killed between two of them leaves the busy word set.
package struct ViewMark: Hashable {
    static let size = 64
    private static let magic: UInt32 = 0x7756_6243

    var store: UInt64
    var applied: CommitNumber
    var synced: CommitNumber
    var table: TableNumber
    var kind: UInt8
    /// These three are for salvage, where the log is gone.
    var classNumber: UInt8 = 0
    var classVersion: UInt8 = 0
    var flags: TableFlags = []
    var isBusy = false

    /// The mark at `address`; `nil` if there is none or its sum is wrong.
    package init?(at address: UnsafeRawPointer) {
        guard address.get(UInt32.self, at: 0) == Self.magic,
            Self.sum(of: address) == address.get(UInt32.self, at: 60)
        else { return nil }
        isBusy = address.get(UInt32.self, at: 4) != 0
        store = address.get(at: 8)
        applied = CommitNumber(address.get(at: 16))
        synced = CommitNumber(address.get(at: 24))
        table = TableNumber(address.get(at: 32))
        kind = address.get(at: 34)
        classNumber = address.get(at: 36)
        classVersion = address.get(at: 37)
        flags = TableFlags(rawValue: address.get(at: 38))
    }

    init(
        store: UInt64, applied: CommitNumber, synced: CommitNumber, table: TableDefinition,
        isBusy: Bool = false
    ) {
        self.init(
            store: store, applied: applied, synced: synced, number: table.number, kind: table.kind,
            classNumber: table.classNumber, classVersion: table.classVersion, flags: table.flags,
            isBusy: isBusy)
    }

    init(
        store: UInt64, applied: CommitNumber, synced: CommitNumber, number: TableNumber,
        kind: TableKind, classNumber: UInt8, classVersion: UInt8, flags: TableFlags,
        isBusy: Bool = false
    ) {
        self.store = store
        self.applied = applied
        self.synced = synced
        table = number
        self.kind = kind.rawValue
        self.classNumber = classNumber
        self.classVersion = classVersion
        self.flags = flags
        self.isBusy = isBusy
    }

    /// Writes everything but the busy word, then that.
    func write(at address: UnsafeMutableRawPointer) {
        if isBusy { Self.setBusy(at: address) }
        for offset in stride(from: 8, to: Self.size, by: 8) { address.put(0 as UInt64, at: offset) }
        address.put(Self.magic, at: 0)
        address.put(store, at: 8)
        address.put(applied.rawValue, at: 16)
        address.put(synced.rawValue, at: 24)
        address.put(table.rawValue, at: 32)
        address.put(kind, at: 34)
        address.put(1 as UInt8, at: 35)
        address.put(classNumber, at: 36)
        address.put(classVersion, at: 37)
        address.put(flags.rawValue, at: 38)
        address.put(Self.sum(of: UnsafeRawPointer(address)), at: 60)
        if !isBusy { Self.store(0, at: address) }
    }

    static func setBusy(at address: UnsafeMutableRawPointer) { store(1, at: address) }

    /// The last commit that the mark at `address` names, whether its sum is right or not.
    @inline(__always)
    static func applied(at address: UnsafeRawPointer) -> CommitNumber {
        CommitNumber(address.get(at: 16))
    }

    /// The compiler must not move other stores across this one; a call that it cannot look into
    /// keeps them in order, and the processor shows them in order to the file's pages.
    @inline(never)
    private static func store(_ word: UInt32, at address: UnsafeMutableRawPointer) {
        address.put(word, at: 4)
    }

    private static func sum(of address: UnsafeRawPointer) -> UInt32 {
        let first = UnsafeRawBufferPointer(start: address, count: 4).checksum()
        return UnsafeRawBufferPointer(start: address + 8, count: 52).checksum(from: first)
    }
}
