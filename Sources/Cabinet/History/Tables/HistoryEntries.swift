import CabinetBackend

/// The entries that a ``HistoryTable`` gets of one commit.
struct HistoryEntries {
    private(set) var entries: [(key: [UInt8], value: [UInt8])] = []
    /// The keys of the other table.
    private(set) var rows: [[UInt8]] = []
    /// How many bytes they take.
    private(set) var size = 0

    /// Takes what a commit says it has replaced, and what it does not say.
    init(_ commit: CommittedChanges) throws(BackendError) {
        let prefix = HistoryKey.commit(commit.number)
        var known: Set<[UInt8]> = []
        var changed: Set<[UInt8]> = []
        try commit.forEachOperation { operation throws(BackendError) in
            switch operation {
            case .putRow(let table, let row, _), .deleteRow(let table, let row):
                changed.insert(HistoryKey.place(table, row))
            case .putKey(.namedBuffers, let key, _), .deleteKey(.namedBuffers, let key):
                changed.insert(HistoryKey.place(ofName: [UInt8](key)))
            case .unknown(Operation.former, let table, let bytes):
                guard let former = FormerValue(bytes) else { return }
                let place: [UInt8]
                switch former.place {
                case .row(let row): place = HistoryKey.place(table, row)
                case .key(let key) where table == .namedBuffers:
                    place = HistoryKey.place(ofName: [UInt8](key))
                case .key: return
                }
                guard known.insert(place).inserted else { return }
                add(
                    prefix + place,
                    former.stored.map {
                        HistoryValue.value($0.dropLast(Operation.checksumSize))
                    } ?? HistoryValue.absent)
                rows.append(place + prefix)
            default: return
            }
        }
        let unknown = changed.subtracting(known)
        for place in unknown.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            add(prefix + place, HistoryValue.unknown)
            rows.append(place + prefix)
        }
        if entries.isEmpty { return }
        add(prefix, try Self.header(of: commit))
        size += rows.reduce(0) { $0 + $1.count }
    }

    private mutating func add(_ key: [UInt8], _ value: [UInt8]) {
        entries.append((key, value))
        size += key.count + value.count
    }

    private static func header(of commit: CommittedChanges) throws(BackendError) -> [UInt8] {
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        return try commit.notes.reduce(bytes(commit.time) + bytes(commit.author)) { header, note in
            header + [note.tag] + bytes(UInt32(note.bytes.count)) + note.bytes
        }
    }
}

/// A commit as a ``HistoryTable`` has it.
struct MovedCommit {
    let number: CommitNumber
    private(set) var time: UInt64 = 0
    private(set) var author: UInt32 = 0
    private(set) var notes: [CommittedChanges.Note] = []

    /// Reads the value of the commit's own entry, as far as it can be understood.
    init(_ number: CommitNumber, _ header: UnsafeRawBufferPointer) {
        self.number = number
        let buffer = DataBuffer()
        buffer.writeRawBytes(header)
        guard let time = try? buffer.readUInt64(), let author = try? buffer.readUInt32() else {
            return
        }
        (self.time, self.author) = (time, author)
        while buffer.remaining > 0, let tag = try? buffer.readUInt8(),
            let bytes = try? buffer.readBytes()
        {
            notes.append(CommittedChanges.Note(tag: tag, bytes: bytes))
        }
    }
}
