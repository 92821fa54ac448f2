import CabinetBackend
import CabinetTokyo

extension StoreFile {
    /// Whether the file is sealed by a key.
    public var isEncrypted: Bool { working.backend.isEncrypted }

    /// Whether a sealed file shows its ``metadata`` without the key, to the system's search and to lists of files.
    /// `false` for a new document; a file that is opened says what it was. The next save goes by it.
    public var showsMetadata: Bool {
        get { working.showsMetadata }
        set {
            if newValue != working.showsMetadata { isMetadataEdited = true }
            working.showsMetadata = newValue
        }
    }

    /// Replaces the key that opens the document, and saves it. When it returns, the former key opens neither the
    /// file nor what is in the working directory. Other copies of the file still open with the former.
    ///
    /// - Throws: as ``save(overwriting:progress:)``, `BackendError.notEncrypted`, `.wrongKey` for what is no key.
    ///   If the save fails, or the program ends before it, the new key alone opens the document here, which counts as
    ///   edited until a later save; until then a copy of the file opens with the former one, and so does what
    ///   another program puts in the file's place.
    public func rotateKey(to key: StoreKey) throws {
        guard url != nil else { throw StoreError.noFile }
        try working.rotateKey(to: key)
        isMetadataEdited = true
        try save()
    }
}
