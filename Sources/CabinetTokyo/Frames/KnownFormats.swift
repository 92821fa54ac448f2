import CabinetBackend

/// The formats of one kind of file, or of the catalog, that this code reads. It writes the newest.
///
/// Development versions before 0.1.0 wrote lower ones: these are refused, not read. The log is appended to only
/// in segments of the newest format, so an older program meets the number first and says that it is newer.
struct KnownFormats {
    var oldest: UInt32
    var newest: UInt32

    init(_ formats: ClosedRange<UInt32>) {
        (oldest, newest) = (formats.lowerBound, formats.upperBound)
    }

    /// Sees that `found` is one of them.
    ///
    /// - Parameter offset: where it stands in the file at `path`.
    /// - Throws: ``BackendError/newerFormat(path:found:known:)``,
    ///   ``BackendError/olderFormat(path:found:oldest:)``, or for 0, which no format has,
    ///   ``BackendError/corrupt(path:offset:)``.
    func check(_ found: UInt32, path: String, at offset: UInt64 = 8) throws(BackendError) {
        if found > newest { throw .newerFormat(path: path, found: found, known: newest) }
        if found == 0 { throw .corrupt(path: path, offset: offset) }
        if found < oldest { throw .olderFormat(path: path, found: found, oldest: oldest) }
    }
}
