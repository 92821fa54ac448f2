import CabinetBackend

/// A copy of the catalog's view beside the log. Only salvage reads it, where the log is
/// gone: without their layouts, records of declared fields cannot be read.
struct CatalogCopy {
    let files: any FileLayer
    let paths: StorePaths

    /// Writes the copy again, unless it says the same as the catalog. The highest rows are not
    /// compared: nearly every save changes them, and the records show them, too.
    ///
    /// The catalog's view must be closed. After a throw the copy is as before, or gone.
    func update() throws(BackendError) {
        guard let map = try FileMap.reading(paths.catalog, files),
            let image = HashImage(base: map.base, size: map.size)
        else { return }
        let values = ValueForm.ofCatalog(files)
        if let copy = try FileMap.reading(paths.catalogCopy, files),
            let old = HashImage(base: copy.base, size: copy.size),
            Self.saysTheSame(image, old, values)
        {
            return
        }
        let new = paths.catalogCopy + ".new"
        do throws(BackendError) {
            let file = try files.open(new, for: .replacing)
            try files.write(map.bytes, to: file, at: 0)
            try files.sync(file)
            try files.rename(new, to: paths.catalogCopy)
        } catch {
            try? files.remove(new)
            throw error
        }
    }

    private static func saysTheSame(
        _ image: HashImage, _ other: HashImage, _ values: ValueForm
    ) -> Bool {
        let entries = entries(of: image, values)
        return entries.count > 0 && entries == self.entries(of: other, values)
            && ViewMark(at: image.opaque)?.store == ViewMark(at: other.opaque)?.store
    }

    private static func entries(
        of image: HashImage, _ values: ValueForm
    ) -> [[UInt8]: [UInt8]] {
        var entries: [[UInt8]: [UInt8]] = [:]
        let rows = Array("rows/".utf8)
        _ = image.forEachSoundRecord(values) { record in
            _ = values.withEntry(of: record) { key, value in
                guard !key.starts(with: rows) else { return }
                entries[Array(key)] = Array(value)
            }
        }
        return entries
    }
}
