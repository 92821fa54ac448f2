import Cabinet

extension Session {
    func export(_ name: String?, as format: ExportFormat) throws {
        let listing = try name.map { try library.listing(of: library.playlist($0)) }
        var output = BufferedOutput(console)
        format.write(try listing ?? library.listing(), to: &output)
        output.flush()
    }

    func upgrade() throws {
        let songs = try upgrade(Song.self, "songs")
        let playlists = try upgrade(Playlist.self, "playlists")
        if songs + playlists == 0 {
            return console.print("All records are of the present version.")
        }
        console.print(
            "Rewrote \(counted(songs, "song")) and \(counted(playlists, "playlist")) "
                + "of older versions.")
    }

    private func upgrade<Object: StoredObject>(_ type: Object.Type, _ name: String) throws -> Int {
        let shown = ShownProgress(ProgressBar("Rewriting \(name)", on: console))
        defer { shown.clear() }
        return try store.upgradeAll(of: type, progress: shown)
    }

    func info() throws {
        var table = Table([
            .init(heading: "Class", canShrink: true), .init(heading: "Rows", alignment: .right),
            .init(heading: "Number", alignment: .right),
            .init(heading: "Versions", canShrink: true),
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

    private func shown(_ name: String?) -> String { DisplayWidth.printable(name ?? "") }
}
