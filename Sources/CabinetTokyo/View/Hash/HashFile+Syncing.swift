import CabinetBackend

extension HashFile {
    /// Whether the header in the file says what the library has in memory, or was read when the
    /// file was mapped.
    var isHeaderCurrent: Bool {
        guard let now = HashImage(base: image.base, size: image.end) else { return false }
        return now.end == image.end && now.recordCount == count
    }

    /// Brings a file that is not open for writing to the device.
    /// - Throws: ``BackendError/viewUnavailable(path:cause:)`` also if another file has its name.
    func sync() throws(BackendError) {
        let file = try files.open(path, for: .writing)
        guard try files.status(of: file).identity == identity else {
            throw .viewUnavailable(path: path, cause: Refusal.another.message)
        }
        try files.sync(file)
    }
}
