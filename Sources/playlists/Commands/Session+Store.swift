import Cabinet

extension Session {
    func export(_ name: String?) throws {
        let listing = try name.map { try library.listing(of: library.playlist($0)) }
        console.print(try (listing ?? library.listing()).json())
    }

    func upgrade() throws {
        let songs = try store.upgradeAll(of: Song.self)
        let playlists = try store.upgradeAll(of: Playlist.self)
        if songs + playlists == 0 {
            return console.print("All records are of the present version.")
        }
        console.print(
            "Rewrote \(counted(songs, "song")) and \(counted(playlists, "playlist")) "
                + "of older versions.")
    }

    func info() throws {
        var table = Table([
            .init(heading: "Class"), .init(heading: "Rows", alignment: .right),
            .init(heading: "Number", alignment: .right),
            .init(heading: "Versions"),
            .init(heading: "Bytes", alignment: .right),
        ])
        table.append(try cells(for: Song.self))
        table.append(try cells(for: Playlist.self))
        print(table)
    }

    /// Versions are told with their records: `3 (44), 4 (2)`.
    private func cells<Object: StoredObject>(for type: Object.Type) throws -> [String] {
        let metadata = try store.metadata(of: type)
        var versions: [UInt8: Int] = [:]
        var size = 0
        try store.forEachRecordVersion(type) { _, version, bytes in
            versions[version, default: 0] += 1
            size += bytes
        }
        let told = versions.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        return [
            metadata.storageName, "\(metadata.savedRows)", "\(metadata.number)",
            told.isEmpty ? "-" : told.joined(separator: ", "), "\(size)",
        ]
    }
}

// MARK: - Only in the shell

extension Session {
    func save() throws {
        let hadChanges = store.hasChanges
        try store.save()
        console.print(hadChanges ? "Saved." : "Nothing to save.")
    }

    func undo() throws {
        let name = store.undoHistory.undoName
        let isDone = try store.undoHistory.undo()
        console.print(isDone ? "Took back: \(shown(name))" : "Nothing to take back.")
    }

    func redo() throws {
        let name = store.undoHistory.redoName
        let isDone = try store.undoHistory.redo()
        console.print(isDone ? "Did again: \(shown(name))" : "Nothing to do again.")
    }

    func rollback() {
        store.rollback()
        console.print("Forgot all changes since the last save.")
    }

    private func shown(_ name: String?) -> String { (name ?? "").printable }
}
