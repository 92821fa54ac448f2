import CLibrary
import CabinetBackend

/// How the files of a store are read and written: with its key, if it is sealed.
struct StoreSealing {
    let files: any FileLayer
    /// What has to be written before anything else if nothing was ever saved.
    private(set) var newKeys: KeyFile?

    /// - Throws: ``BackendError/wrongKey(path:)``, ``BackendError/notEncrypted(path:)`` and
    ///   ``BackendError/encryptionUnavailable(path:)``, or ``BackendError/corrupt(path:offset:)`` for the file
    ///   of keys. Without a key nothing is looked at: a sealed file says that it is one when it is opened.
    init(
        _ key: StoreKey?, _ paths: StorePaths, _ access: Access, _ files: any FileLayer
    ) throws(BackendError) {
        // What copies a store goes on with what it has.
        guard let key, files.sealer == nil else {
            self.files = files
            return
        }
        let isDirectory = try Self.hasLog(paths, files)
        let found = isDirectory ? try KeyFile.read(paths.key, files) : nil
        if found == nil {
            if isDirectory, let isSealed = try Self.hasSealedFiles(paths, files) {
                throw isSealed
                    ? .corrupt(path: paths.key, offset: 0) : .notEncrypted(path: paths.root)
            }
            // There is nothing to read; who opens it says so.
            guard access == .readWrite else {
                self.files = files
                return
            }
        }
        #if Encryption
            if let found {
                let wrapper = try KeyFile.Wrapper(key, of: found, path: paths.key)
                let keys = try found.keys(in: wrapper, path: paths.key)
                self.files = SealedFiles(
                    files, SodiumSealer(keys, wrapper, at: paths.key, files))
            } else {
                guard let keys = DataKeys() else { throw KeyFile.noMemory(paths.key) }
                let wrapper = try KeyFile.Wrapper(key, path: paths.key)
                newKeys = try KeyFile(keys, in: wrapper, path: paths.key)
                self.files = SealedFiles(
                    files, SodiumSealer(keys, wrapper, at: paths.key, files))
            }
        #else
            _ = key
            throw .encryptionUnavailable(path: paths.root)
        #endif
    }

    /// What cannot be told is thrown: it must not count as a store without keys, which would get new ones.
    private static func hasLog(
        _ paths: StorePaths, _ files: any FileLayer
    ) throws(BackendError) -> Bool {
        do throws(BackendError) {
            return try files.status(of: paths.log)?.isDirectory ?? false
        } catch .system(_, _, ENOTDIR) {
            // That is said when it is opened.
            return false
        } catch {
            throw error
        }
    }

    /// Whether the log's files are sealed, as the one says that is found first; `nil`: there are none.
    private static func hasSealedFiles(
        _ paths: StorePaths, _ files: any FileLayer
    ) throws(BackendError) -> Bool? {
        for name in try files.list(paths.log) {
            let sealedFormat: UInt32
            if StorePaths.number(in: name, after: "log-") != nil {
                sealedFormat = SegmentHeader.format
            } else if StorePaths.number(in: name, after: "snapshot-") != nil {
                sealedFormat = SnapshotHeader.format
            } else {
                continue
            }
            let path = paths.log + "/" + name
            let bytes = try files.readBytes(
                12, from: try files.open(path, for: .reading), at: 0)
            let format = bytes.withUnsafeBytes { $0.baseAddress?.get(UInt32.self, at: 8) }
            return format == sealedFormat
        }
        return nil
    }
}

extension Opening {
    /// Sees that another process has not made the store since its keys were looked for.
    func checkKeys() throws(BackendError) {
        if newKeys != nil { throw .busy(path: paths.root, holder: "") }
    }

    /// Writes the keys of a store in which nothing was ever saved; or sees that one without a key has none.
    func writeKeys() throws(BackendError) {
        if access == .readWrite, let newKeys {
            guard try files.status(of: paths.key) == nil else {
                throw .busy(path: paths.root, holder: "")
            }
            try newKeys.write(to: paths.key, in: paths.log, files)
        } else if files.sealer == nil, try files.status(of: paths.key) != nil {
            throw .keyNeeded(path: paths.root)
        }
    }
}

extension StorePaths {
    /// Copies the file of keys to a new directory, which has none yet, if the store is sealed.
    func copyKeys(to target: StorePaths, _ files: any FileLayer) throws(BackendError) {
        guard files.sealer != nil else { return }
        guard let keys = try KeyFile.read(key, files) else { throw .corrupt(path: key, offset: 0) }
        try files.makeDirectory(target.log)
        try keys.write(to: target.key, in: target.log, files)
    }
}
