import Foundation

/// What the comments before a file's name in an `.m3u` say about it.
struct M3UEntry {
    var seconds: UInt32 = 0
    /// "Artist - Title", or only the title; `nil` without `#EXTINF:`.
    var display: String?
    /// `nil` without `#EXTART:`; an empty one says that there is no artist.
    var artist: String?
    var album = ""

    /// Takes what follows `#EXTINF:`, that is `seconds attributes,display`.
    ///
    /// - Throws: ``ImportError`` if the seconds are no number, below -1 (which means unknown), or
    ///   too many.
    mutating func takeInformation(
        _ text: String, source: ImportSource, offset: Int
    ) throws(ImportError) {
        let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let length = String(parts[0].prefix { $0 != " " })
        guard let seconds = length == "-1" ? 0 : TrackLength.seconds(from: length) else {
            let problem = ImportError.Problem.outOfRange(
                field: "The length after #EXTINF:", value: "\"\(length.prefix(40))\"",
                allowed: "a number of seconds, or -1 for unknown")
            throw source.error(problem, at: offset)
        }
        self.seconds = seconds
        display = parts.count == 2 ? String(parts[1]).trimmed : ""
    }

    /// The track for the file at `path`; an empty path means that the place is unknown.
    func track(path: String, directory: String) -> ImportedTrack {
        var track = ImportedTrack(seconds: seconds, album: album)
        track.location = TrackLocation.url(from: path, relativeTo: directory)
        let shown = display ?? ""
        if let artist {
            track.artist = artist
            track.title = shown.value(after: artist + " - ") ?? shown
        } else if let dash = shown.firstRange(of: " - ") {
            track.artist = shown[..<dash.lowerBound].trimmed
            track.title = shown[dash.upperBound...].trimmed
        } else {
            track.title = shown
        }
        if track.title.isEmpty, display == nil || !path.isEmpty, track.artist.isEmpty {
            track.title = Self.title(from: path)
            track.hasGuessedTitle = true
        }
        return track
    }

    private static func title(from path: String) -> String {
        let name = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init)
        let decoded = path.contains("://") ? name?.removingPercentEncoding ?? name : name
        guard let decoded else { return "" }
        guard let dot = decoded.lastIndex(of: "."), dot != decoded.startIndex else {
            return decoded
        }
        return String(decoded[..<dot])
    }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    var trimmed: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }

    /// What follows `prefix`, or `nil` if this does not begin with it.
    func value(after prefix: String) -> String? {
        hasPrefix(prefix) ? dropFirst(prefix.count).trimmed : nil
    }
}
