import CabinetBackend

/// Copies the views of a store while another process changes them.
///
/// The writer sets a view's mark busy before it changes the file, and names the next commit in it
/// afterwards. So a copy between two equal marks that are not busy holds one commit of its table: it
/// is what a kill between two commits leaves. A view that changes too often is left out.
struct ViewCopies {
    let files: any FileLayer
    let source: StorePaths
    let target: StorePaths

    /// So often a view is copied that changes meanwhile.
    private static let attempts = 3
    private static let piece = 1 << 20

    /// - Throws: what writing may throw. What cannot be read is left out.
    func copy() throws(BackendError) {
        var paths = [(source.catalog, target.catalog)]
        for name in (try? files.list(source.root)) ?? [] {
            paths.append((source.root + "/" + name, target.root + "/" + name))
        }
        for (path, newPath) in paths {
            guard let status = try? files.status(of: path), status.isFile,
                let file = try? files.open(path, for: .reading)
            else { continue }
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            if RunName(fileName: name) != nil {
                if try !copy(file, to: newPath) { try files.remove(newPath) }
            } else {
                try copyView(file, to: newPath)
            }
        }
    }

    private func copyView(_ file: OpenFile, to path: String) throws(BackendError) {
        for _ in 0..<Self.attempts {
            guard let mark = mark(of: file) else { return }
            if mark.isBusy { continue }
            if try copy(file, to: path), self.mark(of: file) == mark { return }
            try files.remove(path)
        }
    }

    private func mark(of file: OpenFile) -> ViewMark? {
        guard let head = try? files.readBytes(Int(HashImage.headerSize), from: file, at: 0) else {
            return nil
        }
        return head.withUnsafeBytes { head in
            guard let base = head.baseAddress, head.count == Int(HashImage.headerSize),
                HashImage.hasMagic(base)
            else { return nil }
            return ViewMark(at: base + HashImage.opaqueOffset)
        }
    }

    /// Copies the file as long as it is now. `false`: it could not be read.
    private func copy(_ file: OpenFile, to path: String) throws(BackendError) -> Bool {
        guard let size = try? files.size(of: file) else { return false }
        let copy = try files.open(path, for: .replacing)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 16)
        defer { memory.deallocate() }
        var offset: UInt64 = 0
        while offset < size {
            let wanted = Int(min(UInt64(Self.piece), size - offset))
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[..<wanted])
            guard let count = try? files.read(file, at: offset, into: room), count == wanted else {
                return false
            }
            try files.write(UnsafeRawBufferPointer(room), to: copy, at: offset)
            offset += UInt64(count)
        }
        return true
    }
}
