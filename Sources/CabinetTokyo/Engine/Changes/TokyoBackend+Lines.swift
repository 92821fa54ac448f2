import CabinetBackend

extension TokyoBackend {
    public func lines() throws(BackendError) -> [CommitLine] {
        let buffer = DataBuffer()
        let isListed = try Array(CatalogKey.lines.utf8).withUnsafeBufferPointer {
            key throws(BackendError) in
            try value(forKey: UnsafeRawBufferPointer(key), in: .catalog, into: buffer)
        }
        guard isListed else { return [] }
        guard let lines = buffer.withUnsafeBytes({ LineList.lines(from: $0) }) else {
            throw .corrupt(path: paths.catalog, offset: 0)
        }
        return lines
    }
}
