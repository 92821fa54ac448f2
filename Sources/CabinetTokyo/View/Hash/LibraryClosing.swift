import CLibrary
import CTokyoCabinet

/// Closing what the library has open, without its calls that would crash when they fail.
///
/// `tchdbclose` gives back the room behind the records by `ftruncate`, after it has unmapped the
/// file; if that fails it notes so in the file's header, through a null pointer. A file that is
/// open for reading it closes without either. So a file that was written is completed here, byte
/// for byte as the library would, then declared to be open for reading, and closed as such.
enum LibraryClosing {
    /// Closes and frees `handle`. The file keeps its size.
    /// - Returns: `false` if the library has met an error that leaves the file in doubt.
    static func close(_ handle: UnsafeMutablePointer<TCHDB>) -> Bool {
        let isSound = finish(handle)
        let isClosed = tchdbclose(handle)
        tchdbdel(handle)
        return isClosed && isSound
    }

    /// Completes a file that is open for writing, and declares it to be open for reading.
    private static func finish(_ handle: UnsafeMutablePointer<TCHDB>) -> Bool {
        guard handle.pointee.fd >= 0, handle.pointee.omode & UInt32(HDBOWRITER) != 0 else {
            return true
        }
        var isSound = !handle.pointee.fatal && isWhole(handle)
        if isSound {
            FreeBlockPool.save(handle)
            handle.pointee.flags &= ~UInt8(HDBFOPEN)
            // Writes the header, from the flags to the file's size.
            isSound = tchdbmemsync(handle, false)
        }
        tcfree(handle.pointee.fbpool)
        handle.pointee.fbpool = nil
        handle.pointee.omode = handle.pointee.omode & ~UInt32(HDBOWRITER) | UInt32(HDBOREADER)
        // Of a file that is read the library unmaps as much as it has bytes. All is mapped.
        handle.pointee.fsiz = max(handle.pointee.xmsiz, handle.pointee.msiz)
        return isSound
    }

    /// Whether the file was not cut by another program: a store behind its end would be fatal.
    private static func isWhole(_ handle: UnsafeMutablePointer<TCHDB>) -> Bool {
        var status = stat()
        return fstat(handle.pointee.fd, &status) == 0
            && UInt64(clamping: status.st_size) >= handle.pointee.fsiz
    }
}
