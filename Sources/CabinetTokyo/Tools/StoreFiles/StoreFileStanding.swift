import CabinetBackend

/// What has become of a store file since it was last read or written here. `Sendable`: a value.
package enum StoreFileStanding: Hashable, Sendable {
    /// It is what it was; or what this working store has written, which an interruption kept it from noting.
    case same
    /// There is none, as before.
    case none
    /// Another program has written it, or put one where there was none.
    case changed
    /// It is gone, or moved.
    case missing
    /// It was damaged when it was opened, and what could be read was salvaged; it still is.
    case damaged
}

extension WorkingRecord {
    /// Looks at the file, without a change to anything. Reads all of it only if its size is the same and its
    /// inode or its time of change is not.
    /// - Returns: the standing, and the file if it is to be known from now on.
    func standing(
        _ files: any FileLayer, _ pace: Pace = Pace()
    ) throws -> (StoreFileStanding, KnownFile?) {
        guard !path.isEmpty, let status = try files.statusOfDocument(path) else {
            return (file == nil ? .none : .missing, nil)
        }
        guard status.isFile else { return (.changed, nil) }
        let isTouched =
            status.inode != file?.inode || status.device != file?.device
            || status.modified != file?.modified || status.size != file?.size
        let known = file?.header
        if file != nil, known == nil { return (isTouched ? .changed : .damaged, nil) }
        let reader: StoreFileReader
        do throws(BackendError) {
            reader = try StoreFileReader(path, files: files)
        } catch {
            switch error {
            case .corrupt, .notAStore, .newerFormat, .olderFormat: return (.changed, nil)
            case .noStore: return (.missing, nil)
            default: throw error
            }
        }
        if reader.header == known, !isTouched { return (.same, nil) }
        let isOurs = reader.header.line == line && reader.header.commitNumber >= base
        guard reader.header == known || isOurs, reader.metadata != nil,
            try reader.copyContent(to: nil, pace)
        else {
            return (.changed, nil)
        }
        return (.same, KnownFile(reader.header, reader.status))
    }
}
