import CabinetBackend

/// A table and the file that reads of it are served from. Not `Sendable`: the engine's lock guards
/// it; where a comment says so, its own lock does. Exclusivity is not checked again: every save
/// goes through here.
final class Table {
    @exclusivity(unchecked) var entry: CatalogEntry
    /// The last commit that changed the table.
    @exclusivity(unchecked) var lastCommit: CommitNumber
    /// The highest row ever committed.
    @exclusivity(unchecked) var highestRow: RowID
    @exclusivity(unchecked) var view: View {
        didSet { (hashFile, orderedView) = (view.hashFile, view.orderedView) }
    }
    /// The file, if it is a hash file: each look into ``view`` copies all of it.
    @exclusivity(unchecked) private(set) var hashFile: HashFile?
    /// The layers, if they are what the table is read from.
    @exclusivity(unchecked) private(set) var orderedView: OrderedView?
    /// Counts the changes of the view, so that a walk notices one.
    @exclusivity(unchecked) var changes: UInt64 = 0
    /// What the file was at the last orderly close, for as long as nothing has touched it.
    @exclusivity(unchecked) var seal: ViewSeal?

    enum View {
        case hash(HashFile)
        case ordered(OrderedView)
        /// Neither current nor to be rebuilt; why.
        case unavailable(path: String, cause: String)

        fileprivate var hashFile: HashFile? {
            if case .hash(let file) = self { file } else { nil }
        }

        fileprivate var orderedView: OrderedView? {
            if case .ordered(let view) = self { view } else { nil }
        }

        /// Where the file is.
        var path: String {
            switch self {
            case .hash(let file): file.path
            case .ordered(let view): view.base
            case .unavailable(let path, _): path
            }
        }

        /// Gives the file, which must not be open for writing, another name.
        func move(to path: String) throws(BackendError) {
            switch self {
            case .hash(let file): try file.move(to: path)
            case .ordered(let view): view.base = path
            case .unavailable(let path, let cause):
                throw .viewUnavailable(path: path, cause: cause)
            }
        }
    }

    /// What reads need of the entry; never changes.
    let number: TableNumber
    let keyForm: KeyForm
    let values: ValueForm
    let kind: TableKind

    init(
        _ entry: CatalogEntry, _ files: any FileLayer, lastCommit: CommitNumber, highestRow: RowID,
        view: View
    ) {
        self.entry = entry
        number = entry.number
        keyForm = entry.keyForm
        values = ValueForm(entry, files)
        kind = entry.definition.kind
        self.lastCommit = lastCommit
        self.highestRow = highestRow
        self.view = view
        hashFile = view.hashFile
        orderedView = view.orderedView
    }

    var definition: TableDefinition { entry.definition }

    var state: TableState {
        TableState(definition: definition, lastCommit: lastCommit, highestRow: highestRow)
    }

    /// Whether the view holds BNRPersistence's metadata in row 1, which is no object.
    var hidesMetadata: Bool { kind == .record && keyForm == .legacy }

    func count() throws(BackendError) -> Int {
        switch view {
        case .hash(let file):
            let count = Int(clamping: file.count)
            return hidesMetadata ? max(count - 1, 0) : count
        case .ordered(let view): return try view.count
        case .unavailable(let path, let cause): throw .viewUnavailable(path: path, cause: cause)
        }
    }

    /// Whether ``count()`` needs no look at what lies below deltas.
    var isResolved: Bool {
        if case .ordered(let view) = view { view.unknownCount == 0 } else { true }
    }

    /// About how many rows or keys there are; 0 where nothing can be read.
    var estimate: Int {
        if case .ordered(let view) = view { view.estimate } else { (try? count()) ?? 0 }
    }

    func hash() throws(BackendError) -> HashFile {
        if let hashFile { return hashFile }
        switch view {
        case .hash(let file): return file
        case .ordered(let view): throw .viewUnavailable(path: view.base, cause: "wrong kind")
        case .unavailable(let path, let cause): throw .viewUnavailable(path: path, cause: cause)
        }
    }

    func ordered() throws(BackendError) -> OrderedView {
        switch view {
        case .ordered(let view): return view
        case .hash(let file): throw .viewUnavailable(path: file.path, cause: "wrong kind")
        case .unavailable(let path, let cause): throw .viewUnavailable(path: path, cause: cause)
        }
    }

    /// Whether reads can be served.
    var isReadable: Bool {
        switch view {
        case .hash, .ordered: true
        case .unavailable: false
        }
    }

    /// The key of `row`, at the end of `room`, which has 16 bytes.
    @inline(__always)
    static func key(
        of row: RowID, _ form: KeyForm, in room: UnsafeMutablePointer<UInt8>
    ) -> UnsafeRawBufferPointer {
        guard form == .decimal else {
            UnsafeMutableRawPointer(room).put(row.rawValue, at: 0)
            return UnsafeRawBufferPointer(start: room, count: 4)
        }
        let start = DecimalKey.write(row, to: room)
        return UnsafeRawBufferPointer(start: room + start, count: DecimalKey.longest - start)
    }

    /// The row whose key that is; `nil` for bytes that are none.
    @inline(__always)
    static func row(of key: UnsafeRawBufferPointer, _ form: KeyForm) -> RowID? {
        guard form == .decimal else {
            return key.count == 4 ? key.baseAddress.map { RowID($0.get(at: 0)) } : nil
        }
        return DecimalKey.row(of: key)
    }
}
