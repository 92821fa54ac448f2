extension ImportedTrack {
    /// Years that music libraries can hold; 0 stands for unknown.
    static let years: ClosedRange<Int64> = 0...9999

    /// A dictionary of `Tracks`. `Total Time` is in milliseconds and is rounded to seconds.
    init(_ entry: PropertyListEntry) throws(ImportError) {
        title = try entry.string("Name") ?? ""
        artist = try entry.string("Artist") ?? ""
        album = try entry.string("Album") ?? ""
        persistentID = try entry.string("Persistent ID") ?? ""
        location = TrackLocation.standard(try entry.string("Location") ?? "")
        let longest = Int64(UInt32.max) * 1000
        let milliseconds = try entry.integer("Total Time", in: 0...longest) ?? 0
        seconds = UInt32(min((milliseconds + 500) / 1000, Int64(UInt32.max)))
        let year = try entry.integer("Year", in: Self.years) ?? 0
        self.year = year == 0 ? nil : UInt16(year)
    }
}
