import Cabinet
import Foundation
import Testing

@testable import playlists

/// Commands that find and count songs, on the sample library in memory.
struct FindingTests {
    private let session: Session
    private let transcript = Transcript()

    init() throws {
        session = Session(try Store(inMemory: Library.classes), on: transcript.console())
        let source = ImportSource(path: "S.xml", bytes: PackageResources.SampleLibrary_xml)
        try session.importLibrary(source)
    }

    /// What `line` prints, line by line.
    private func run(_ line: String) throws -> [String] {
        let before = transcript.output.count
        try session.run(Invocation(ShellWords.split(line)))
        return transcript.output.dropFirst(before).split(separator: "\n").map(String.init)
    }

    private var songs: [Song] { get throws { try session.store.objects(of: Song.self) } }

    /// Rows as they are printed, in the order of the lines.
    private func rows(_ lines: [String]) -> [RowID] {
        lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("@") }
                .flatMap { UInt32($0.dropFirst()) }.map { RowID($0) }
        }
    }

    @Test(arguments: SongOrder.Key.allCases, [false, true])
    func songsAreListedInOrder(_ key: SongOrder.Key, _ isDescending: Bool) throws {
        let lines = try run("list --sort=\(isDescending ? "-" : "")\(key.rawValue)")
        func text(_ song: Song) -> String {
            switch key {
            case .title: song.title.lowercased()
            case .artist: song.artist.lowercased()
            case .album: song.album.lowercased()
            case .year: String(10_000 + Int(song.year ?? 0))
            case .time: String(10_000_000 + Int(song.seconds))
            }
        }
        let wanted = try songs.sorted { one, other in
            let (first, second) = (text(one), text(other))
            if first == second { return one.rowID < other.rowID }
            return isDescending ? first > second : first < second
        }
        #expect(rows(lines) == wanted.map(\.rowID))
        #expect(lines.last == "40 songs.")
        let few = try run("list --sort=\(isDescending ? "-" : "")\(key.rawValue) --limit 3")
        #expect(rows(few) == wanted.prefix(3).map(\.rowID))
        #expect(few.last == "The first 3 of 40 songs.")
    }

    @Test func aPlaylistIsListedInAnotherOrder() throws {
        let playlist = try session.library.playlist("Dinner with Friends")
        let wanted = Set(try playlist.loadedSongs()).sorted {
            ($0.seconds, $0.rowID) < ($1.seconds, $1.rowID)
        }
        #expect(rows(try run("list 'Dinner with Friends' --sort time")) == wanted.map(\.rowID))
        #expect(
            rows(try run("list 'Dinner with Friends' --limit 2"))
                == playlist.songs.prefix(2).map(\.rowID))
        #expect(throws: UsageError.self) { try run("list --sort colour") }
    }

    @Test func searchFindsWordsInAnyTextAndForgivesTypos() throws {
        // Title and artist; an accent and a letter's case; a beginning; a typo; no such word.
        #expect(try run("search velquist snow").last == "1 song and 0 playlists found.")
        #expect(try run("search SNOW arith").last == "1 song and 0 playlists found.")
        #expect(try run("search mare alta").contains { $0.contains("Maré Alta") })
        #expect(try run("search arithmetik").contains { $0.contains("Snow Arithmetic") })
        #expect(try run("search 静か").last == "3 songs and 0 playlists found.")
        #expect(try run("search zzz") == ["0 songs and 0 playlists found."])
        #expect(try run("search dinner").last == "0 songs and 1 playlist found.")
        #expect(try run("search lanterns --limit 2").count == 5)
        #expect(try run("search lanterns --limit 2").last == "5 songs and 0 playlists found.")
    }

    @Test func aTypoComesAfterWhatIsSpeltSo() throws {
        let (exact, similar) = (Song(), Song())
        (similar.title, exact.title) = ("Lanterm", "Lantern Light Parade in the Street")
        session.store.insert(similar)
        session.store.insert(exact)
        let found = rows(try run("search lantern"))
        #expect(found.last == similar.rowID)
        #expect(found.contains(exact.rowID))
    }

    @Test func searchTakesAQuery() throws {
        #expect(try run("search --query 'artist:velquist OR \"brass tacks\"'").count == 9)
        #expect(try run("search --query '[[*ometri*]] OR [[*ssom*]]'").last?.hasPrefix("0") == true)
        #expect(try run("search --query '[[*ithme*]]'").last?.hasPrefix("1 song ") == true)
        #expect(throws: QuerySyntaxError.self) { try run("search --query '(open'") }
        #expect(throws: QuerySyntaxError.self) { try run("search --query 'colour:red'") }
    }

    @Test func whatIsFoundIsMarkedOnATerminalOnly() throws {
        let (on, off) = ("\u{1B}[1;4m", "\u{1B}[22;24m")
        #expect(!(try run("search snow")).joined().contains("\u{1B}"))
        let seen = Transcript()
        let terminal = Session(session.store, on: seen.console(showsMarks: true))
        try terminal.run(Invocation(["search", "snow"]))
        #expect(seen.output.contains("\(on)Snow\(off) Arithmetic"))
        #expect(seen.output.ranges(of: on).count == 1)
    }

    @Test func topCountsSongsAndTime() throws {
        let byArtist = Dictionary(grouping: try songs, by: \.artist)
        let most = byArtist.map { ($0.key, $0.value.reduce(0) { $0 + Int($1.seconds) }) }
            .max { $0.1 < $1.1 }
        let lines = try run("top artists --by time --limit 1")
        let (artist, seconds) = try #require(most)
        #expect(lines[2].hasPrefix(artist) && lines[2].hasSuffix(clock(seconds)))
        #expect(lines.last == "\(byArtist.count) artists in all.")
        for (name, group) in [("genres", \Song.genre), ("albums", \.album)] {
            let counts = Dictionary(grouping: try songs) { $0[keyPath: group] }
                .mapValues(\.count)
            let shown = try run("top \(name)")
            #expect(shown.count == counts.count + 3)
            for line in shown[2..<(shown.count - 1)] {
                let name = try #require(counts.keys.first { line.hasPrefix($0 + " ") })
                #expect(line.dropFirst(name.count).split(separator: " ")[0] == "\(counts[name]!)")
            }
        }
        let years = Dictionary(grouping: try songs.compactMap(\.year)) { $0 }.mapValues(\.count)
        let best = try #require(years.max { ($0.value, $1.key) < ($1.value, $0.key) })
        #expect(try run("top years --limit 1")[2].hasPrefix("\(best.key)      \(best.value)  "))
        #expect(throws: UsageError.self) { try run("top colours") }
        #expect(throws: UsageError.self) { try run("top artists --by colour") }
    }

    @Test func artistsAreBrowsedInOrder() throws {
        let artists = Dictionary(grouping: try songs.filter { !$0.artist.isEmpty }, by: \.artist)
        let lines = try run("browse")
        #expect(lines.last == "\(artists.count) artists in all.")
        for (name, songs) in artists {
            #expect(lines.contains { $0.hasPrefix(name) && $0.hasSuffix(" \(songs.count)") })
            let wanted = songs.sorted { $0.title.lowercased() < $1.title.lowercased() }
            #expect(rows(try run("browse \"\(name)\"")) == wanted.map(\.rowID))
        }
        #expect(try run("browse nobody").last == "\"nobody\": 0 songs.")
    }

    @Test func duplicatesShareTitleAndArtist() throws {
        #expect(try run("duplicates") == ["No two songs have the same title and artist."])
        for (title, artist) in [
            ("Low Tide", "The Paper Lanterns"), ("Low Tide", "Someone Else"), ("A", "B"),
            ("A", "B"), ("A", "B"),
        ] {
            let song = Song()
            (song.title, song.artist) = (title, artist)
            session.store.insert(song)
        }
        let lines = try run("duplicates")
        #expect(lines.last == "5 songs of 2 titles, each of one artist.")
        #expect(
            lines[2..<7].map { $0.contains("Low Tide") } == [false, false, false, true, true])
        #expect(!lines.contains { $0.contains("Someone Else") })
    }
}
