import CabinetBackend

extension TokyoBackend {
    public var isEncrypted: Bool { files.sealer != nil }

    /// Replaces the key that opens the store. The data are not written anew: their keys are wrapped by the
    /// new key instead.
    ///
    /// When it returns, the former key opens the store no more, also after a crash, and the wrapped keys that
    /// it did open were overwritten, under each name that is a hard link to them. After a throw exactly one of both
    /// keys opens it. A backup or another copy of the file `Journal/Key` made before still opens with the former key.
    ///
    /// - Throws: `BackendError`: `.notEncrypted`, `.readOnly`, or
    ///   `.wrongKey` for what is no key.
    public func rotateKey(to key: StoreKey) throws(BackendError) {
        try checkWritable()
        #if Encryption
            guard let sealer = files.sealer as? SodiumSealer else {
                throw .notEncrypted(path: location)
            }
            let wrapper = try KeyFile.Wrapper(key, path: commitLog.paths.key)
            try withTurn { () throws(BackendError) in
                try write(sealer.keys, in: wrapper)
                sealer.wrapper.withLock { $0 = wrapper }
            }
        #else
            throw .notEncrypted(path: location)
        #endif
    }
}
