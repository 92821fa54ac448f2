import CabinetBackend

/// Puts copies in the place of all views, before a process writes to them beside others that read
/// them where they are: those keep the old files, which nothing changes any more.
struct ViewRenewal {
    let files: any FileLayer
    let paths: StorePaths

    private static let piece = 1 << 20

    /// The copies are on the device before they get the names: a clean marker vouches for them, too.
    /// After a throw some views are copies.
    func run() throws(BackendError) {
        let marks = try ViewTrust.marks(in: paths, files)
        guard !marks.isEmpty else { return }
        let copy = paths.log + "/view-copy.new"
        for path in marks.keys.inOrder() {
            try write(try files.open(path, for: .reading), to: copy)
            try files.rename(copy, to: path)
        }
        try files.syncDirectory(paths.root)
        try files.syncDirectory(paths.log)
    }

    private func write(_ file: OpenFile, to path: String) throws(BackendError) {
        let size = try files.size(of: file)
        let copy = try files.open(path, for: .replacing)
        var offset: UInt64 = 0
        while offset < size {
            let count = min(size - offset, UInt64(Self.piece))
            let bytes = try files.readBytes(Int(count), from: file, at: offset)
            try bytes.withBytes { (bytes) throws(BackendError) in
                try files.write(bytes, to: copy, at: offset)
            }
            offset += count
        }
        try files.sync(copy)
    }
}
