import CabinetBackend

extension TokyoBackend {
    /// Whose the file is that has the name of a new table's view.
    private enum Owner {
        /// A view of this store's, or nothing yet.
        case store
        case unknown
        case somebodyElse
    }

    /// Sees that the view of a new table can be made at `path`.
    ///
    /// A file of somebody else's is not overwritten because a class has its name. But a view that
    /// was made for a commit which a power cut took back may be there, and torn in any way.
    func makeRoom(for name: String, at path: String) throws(BackendError) {
        guard try files.status(of: path) != nil else { return }
        switch try owner(of: path) {
        case .store: return
        case .somebodyElse: throw .badTableName(name)
        case .unknown:
            var number = 1
            while try files.status(of: "\(path).lost-\(number)") != nil { number += 1 }
            try files.rename(path, to: "\(path).lost-\(number)")
            log(.warning, "\(path) was nobody's and begins with zeros: renamed .lost-\(number).")
        }
    }

    private func owner(of path: String) throws(BackendError) -> Owner {
        guard let map = try FileMap.reading(path, files) else { return .store }
        // Pages that did not reach the disk are zeros, and the size may be older than the header.
        let head = map.bytes.prefix(Int(HashImage.headerSize))
        if head.allSatisfy({ $0 == 0 }) { return .unknown }
        guard head.count == Int(HashImage.headerSize), HashImage.hasMagic(map.base) else {
            return .somebodyElse
        }
        if let mark = ViewMark(at: map.base + HashImage.opaqueOffset) {
            return mark.store == journal.store ? .store : .somebodyElse
        }
        // Not marked yet: how many records there are, in a tree's own part of the header or the
        // file's.
        let isTree = map.base.get(UInt8.self, at: 32) == 1
        return map.base.get(UInt64.self, at: isTree ? 184 : 48) == 0 ? .store : .somebodyElse
    }

    /// What a view says from its making on, so that it is known for the store's own whatever
    /// becomes of its commit.
    func firstMark(of table: TableDefinition) -> ViewMark {
        ViewMark(store: journal.store, applied: 0, synced: 0, table: table)
    }
}
