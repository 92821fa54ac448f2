/// The forms a library can be written in.
enum ExportFormat: String, CaseIterable, Sendable {
    case json, csv, m3u, xml

    /// Writes all of `library` to `output`.
    ///
    /// `.m3u` knows no more than one list a file: it gets the playlist if `library` has exactly
    /// one, else all songs in the order of their rows.
    func write(_ library: LibraryListing, to output: inout some TextOutputStream) {
        switch self {
        case .json: JSONExporter.write(library, to: &output)
        case .csv: CSVExporter.write(library, to: &output)
        case .m3u: M3UExporter.write(library, to: &output)
        case .xml: PropertyListExporter.write(library, to: &output)
        }
    }
}

extension LibraryListing {
    /// Songs by row, for exporters that write playlists out.
    var songsByRow: [UInt32: ListedSong] {
        Dictionary(songs.map { ($0.row, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
