import CLibrary
import CTokyoCabinet
import CabinetBackend

/// The byte order that this build of the library gives its files. It opens a file of the other
/// order without a look, and then does anything.
enum LibraryOrder {
    /// Whether it is not the processor's. Found out once, by a header that the library writes;
    /// where that cannot be had, no file is taken for one of this build.
    static let isSwapped: Bool? = ofMemory() ?? ofFile()

    /// Has the library write the header of a file of one record into memory. `nil` for a library
    /// that does it in another way than the one known.
    ///
    /// `tchdbmemsync` copies the header to where the file is mapped, if the handle has a descriptor
    /// and writes: it has no file here, and is not asked to sync one.
    static func ofMemory() -> Bool? {
        guard let handle = tchdbnew() else { return nil }
        defer { tchdbdel(handle) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { header -> Bool? in
            guard let base = header.baseAddress else { return nil }
            header.initializeMemory(as: UInt8.self, repeating: 0)
            handle.pointee.map = base.assumingMemoryBound(to: CChar.self)
            handle.pointee.fd = 0
            handle.pointee.omode = UInt32(HDBOWRITER)
            handle.pointee.rnum = 1
            let isDone = tchdbmemsync(handle, false)
            // Reset before the handle is freed: that would close what it has open.
            handle.pointee.fd = -1
            handle.pointee.omode = 0
            handle.pointee.map = nil
            guard isDone, HashImage.hasMagic(base) else { return nil }
            switch UnsafeRawPointer(base).load(fromByteOffset: 48, as: UInt64.self) {
            case 1: return false
            case UInt64(1).byteSwapped: return true
            default: return nil
            }
        }
    }

    /// Has the library make a file, and looks at its header.
    static func ofFile() -> Bool? {
        let files = SystemFiles()
        guard let place = try? TemporaryViews(files: files), let handle = tchdbnew() else {
            return nil
        }
        defer { withExtendedLifetime(place) {} }
        let path = place.path(of: .catalog)
        tchdbtune(handle, 1, 0, 0, 0)
        let isOpen = tchdbopen(handle, path, Int32(HDBOWRITER | HDBOCREAT | HDBONOLCK))
        guard LibraryClosing.close(handle), isOpen,
            let map = try? FileMap.reading(path, files)
        else { return nil }
        return HashImage(base: map.base, size: map.size)?.isSwapped
    }
}
