import CLibrary
import CTokyoCabinet
import CabinetBackend

/// The byte order that this build of the library gives its files. It opens a file of the other
/// order without a look, and then does anything.
enum LibraryOrder {
    /// Whether it is not the processor's. Found out once, by a file made for it; where that cannot
    /// be made, no file is taken for one of this build.
    static let isSwapped: Bool? = {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let name =
            "cabinet-probe-\(getpid())-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let path = base + "/" + name
        defer { unlink(path) }
        guard let handle = tchdbnew() else { return nil }
        tchdbtune(handle, 1, 0, 0, 0)
        let isOpen = tchdbopen(handle, path, Int32(HDBOWRITER | HDBOCREAT | HDBONOLCK))
        guard LibraryClosing.close(handle), isOpen,
            let map = try? FileMap.reading(path, SystemFiles())
        else { return nil }
        return HashImage(base: map.base, size: map.size)?.isSwapped
    }()
}
