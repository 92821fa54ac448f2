import CabinetBackend

/// What the first bytes of a file in a store's directory say about its owner.
///
/// They are read through the file layer: a file that cannot be opened or read is an error, and is
/// never taken for one that is not there.
enum FileHead: Hashable {
    /// Nothing has that name.
    case missing
    /// A directory, a pipe, or a file that is none of Tokyo Cabinet's.
    case foreign
    /// A file without bytes.
    case empty
    /// A file that begins with zeros: its first page may not have reached the device.
    case zeros
    /// A file of Tokyo Cabinet's without a mark of ours, and how many records it has.
    case unmarked(records: UInt64)
    /// A view of some store.
    case view(ViewMark)

    /// Reads the head of the file at `path`.
    static func read(
        _ path: String, _ files: any FileLayer
    ) throws(BackendError) -> FileHead {
        guard let status = try files.status(of: path) else { return .missing }
        guard status.isFile else { return .foreign }
        guard status.size > 0 else { return .empty }
        var bytes = [UInt8](repeating: 0, count: Int(HashImage.headerSize))
        let file = try files.open(path, for: .reading)
        let outcome: Result<Int, BackendError> = bytes.withUnsafeMutableBytes { room in
            Result { () throws(BackendError) in try files.read(file, at: 0, into: room) }
        }
        let count = try outcome.get()
        if bytes[..<count].allSatisfy({ $0 == 0 }) { return .zeros }
        guard count == bytes.count else { return .foreign }
        return bytes.withUnsafeBytes { head in
            guard let base = head.baseAddress, HashImage.hasMagic(base) else { return .foreign }
            if let mark = ViewMark(at: base + HashImage.opaqueOffset) { return .view(mark) }
            return .unmarked(records: base.get(UInt64.self, at: 48))
        }
    }

    /// The mark, if it is a view's.
    var mark: ViewMark? {
        if case .view(let mark) = self { mark } else { nil }
    }
}

extension FileMap {
    /// Whether the file begins as a hash file, and ends before that does.
    var isCutHashFile: Bool {
        guard size >= HashImage.headerSize,
            let whole = HashImage(base: base, size: .max)
        else { return false }
        return whole.end > size
    }
}

extension StorePaths {
    /// Every file beside the log that may be a view.
    func files(in layer: any FileLayer) throws(BackendError) -> [String] {
        try layer.list(root).filter { root + "/" + $0 != catalogCopy }.map { root + "/" + $0 }
    }
}
