import CabinetBackend

extension Opening {
    /// The line that the commits to come go on with; `nil`: commits of these numbers may have been
    /// made elsewhere, so that they begin one. Of a store that may be written.
    ///
    /// A copy of a directory has another inode, and a file that was put back into its directory, too,
    /// or was made at another time. The device's number says nothing, as it may be another one after
    /// each boot.
    func lineGoingOn(after chain: SegmentChain) throws(BackendError) -> UInt64? {
        guard let header = chain.links.last?.header, let path = chain.links.last?.path,
            header.line != 0, try files.status(of: paths.root)?.inode == header.directory
        else { return nil }
        let file = try files.open(path, for: .reading)
        guard try files.status(of: file).inode == header.inode, file.birthTime == header.birth
        else { return nil }
        return header.line
    }

    /// The same for a store that was not closed. At ``Durability/process`` a power cut may have taken
    /// back commits that were seen.
    func lineGoingOn(after scan: LogScan, isCoherent: Bool) throws(BackendError) -> UInt64? {
        if !isCoherent {
            guard scan.session?.durability == .full,
                try !CleanMarker.saysThatCommitsMayBeLost(files, paths)
            else { return nil }
        }
        return try lineGoingOn(after: scan.chain)
    }
}
