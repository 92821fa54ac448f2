/// Reads a table of songs whose first line names its columns.
///
/// A column for the title is needed; see ``CSVColumn`` for the others, and columns that it does
/// not know are passed over. With a `playlist` column a row also puts its song at the end of
/// that playlist; a row with nothing but a playlist makes an empty one. Rows that mean the same
/// song, by ``TrackIdentity``, make one song.
struct CSVImporter {
    private var reader: CSVReader
    private var columns: [CSVColumn: Int] = [:]
    private var columnCount = 0
    private var library = ImportedLibrary()
    private var positions: [TrackIdentity: Int] = [:]
    private var playlistPositions: [String: Int] = [:]

    static func read(
        _ source: ImportSource, progress: ImportProgress
    ) throws(ImportError) -> ImportedLibrary {
        var importer = CSVImporter(reader: try CSVReader(source))
        try importer.readHeader()
        while let row = try importer.reader.nextRow() {
            try importer.take(row)
            progress(importer.reader.position, source.bytes.count)
        }
        return importer.library
    }

    private init(reader: CSVReader) {
        self.reader = reader
    }

    private mutating func readHeader() throws(ImportError) {
        guard let header = try reader.nextRow() else {
            throw ImportError(path: reader.source.path, line: nil, problem: .empty)
        }
        columnCount = header.fields.count
        for (index, name) in header.fields.enumerated() {
            guard let column = CSVColumn(name: name) else { continue }
            guard columns.updateValue(index, forKey: column) == nil else {
                throw reader.source.error(.columnTwice(column.rawValue), at: header.offset)
            }
        }
        guard columns[.title] != nil else {
            throw reader.source.error(.noColumn(CSVColumn.title.rawValue), at: header.offset)
        }
    }

    private mutating func take(_ row: CSVReader.Row) throws(ImportError) {
        guard row.fields.count == columnCount else {
            let problem = ImportError.Problem.fieldCount(
                expected: columnCount, found: row.fields.count)
            throw reader.source.error(problem, at: row.offset)
        }
        let title = field(.playlist, of: row)
        let playlist = title.isEmpty ? nil : positionOfPlaylist(title)
        let isOnlyPlaylist = row.fields.indices.allSatisfy { index in
            index == columns[.playlist] || row.fields[index].isEmpty
        }
        if isOnlyPlaylist { return }
        let track = try track(from: row)
        let position = positions[track.identity] ?? library.tracks.count
        if position == library.tracks.count {
            positions[track.identity] = position
            library.tracks.append(track)
        }
        if let playlist { library.playlists[playlist].tracks.append(position) }
    }

    private mutating func positionOfPlaylist(_ title: String) -> Int {
        if let position = playlistPositions[title] { return position }
        library.playlists.append(ImportedPlaylist(title: title))
        playlistPositions[title] = library.playlists.count - 1
        return library.playlists.count - 1
    }

    private func track(from row: CSVReader.Row) throws(ImportError) -> ImportedTrack {
        var track = ImportedTrack()
        track.title = field(.title, of: row)
        track.artist = field(.artist, of: row)
        track.album = field(.album, of: row)
        track.persistentID = field(.persistentID, of: row)
        let location = field(.location, of: row)
        // A table is seldom kept beside the music, so a relative path stays as it is.
        track.location =
            location.hasPrefix("/") ? TrackLocation.url(from: location, relativeTo: "/") : location
        track.seconds = try seconds(of: row)
        track.year = try year(of: row)
        return track
    }

    private func seconds(of row: CSVReader.Row) throws(ImportError) -> UInt32 {
        let seconds = field(.seconds, of: row).trimmed
        let milliseconds = field(.milliseconds, of: row).trimmed
        let (text, value) =
            seconds.isEmpty
            ? (milliseconds, TrackLength.seconds(fromMilliseconds: milliseconds))
            : (seconds, TrackLength.seconds(from: seconds))
        if text.isEmpty { return 0 }
        guard let value else {
            throw outOfRange(
                seconds.isEmpty ? .milliseconds : .seconds, text, row,
                allowed: "a time such as 225 or 3:45")
        }
        return value
    }

    /// Takes `1994` and dates that begin with the year, such as `1994-05-01`.
    private func year(of row: CSVReader.Row) throws(ImportError) -> UInt16? {
        let text = field(.year, of: row).trimmed
        if text.isEmpty { return nil }
        let digits = text.prefix { $0 != "-" && $0 != "/" }
        let isDate = digits.count == 4 || digits.count == text.count
        guard isDate, let year = UInt16(digits), ImportedTrack.years.contains(Int64(year)) else {
            throw outOfRange(.year, text, row, allowed: "a year such as 1994")
        }
        return year == 0 ? nil : year
    }

    private func field(_ column: CSVColumn, of row: CSVReader.Row) -> String {
        columns[column].map { row.fields[$0] } ?? ""
    }

    private func outOfRange(
        _ column: CSVColumn, _ value: String, _ row: CSVReader.Row, allowed: String
    ) -> ImportError {
        let problem = ImportError.Problem.outOfRange(
            field: "\"\(column.rawValue)\"", value: "\"\(value.prefix(40))\"", allowed: allowed)
        return reader.source.error(problem, at: row.offset)
    }
}
