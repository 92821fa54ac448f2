import Foundation
import Testing

@testable import playlists

struct ExporterTests {
    @Test func jsonHasFixedKeysInFixedOrder() {
        let listing = LibraryListing(
            songs: [
                ListedSong(row: 2, title: "Solo", seconds: 243, version: 3),
                ListedSong(
                    row: 4, title: "Duo", seconds: 7, version: 4, artist: "A", album: "B",
                    year: 2001, location: "file:///c.mp3", persistentID: "0F"),
            ],
            playlists: [
                ListedPlaylist(row: 2, title: "Both", songs: [4, 2, 4]),
                ListedPlaylist(row: 3, title: "None", songs: []),
            ])
        let expected =
            #"{"songs":[{"row":2,"title":"Solo","seconds":243,"version":3,"artist":"","album":"","#
            + #""year":null,"location":""},{"row":4,"title":"Duo","seconds":7,"version":4,"#
            + #""artist":"A","album":"B","year":2001,"location":"file:///c.mp3"}],"#
            + #""playlists":[{"row":2,"title":"Both","songs":[4,2,4]},"#
            + #"{"row":3,"title":"None","songs":[]}]}"# + "\n"
        #expect(listing.written(as: .json) == expected)
    }

    @Test func anEmptyLibraryIsStillJSON() {
        #expect(LibraryListing().written(as: .json) == "{\"songs\":[],\"playlists\":[]}\n")
    }

    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), ("say \"hi\"", #""say \"hi\"""#),
        ("back\\slash", #""back\\slash""#), ("a\nb\rc\td", #""a\nb\rc\td""#), ("\r\n", #""\r\n""#),
        ("\0\u{1B}\u{1F}\u{7F}", "\"\\u0000\\u001b\\u001f\u{7F}\""), ("é東🎷", "\"é東🎷\""),
        ("e\u{301}\u{0}", "\"e\u{301}\\u0000\""),
    ])
    func stringsAreEscapedAsJSONSays(_ text: String, _ json: String) throws {
        #expect(JSONExporter.quoted(text) == json)
        let read = try JSONDecoder().decode(String.self, from: Data(json.utf8))
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test func csvQuotesOnlyWhatItMust() {
        #expect(
            LibraryListing.awkward.written(as: .csv)
                == """
                playlist,title,artist,album,year,seconds,location,persistent id\r
                ,Plain,,,,61,,\r
                ,"A ""quoted"", <b>&</b> \\ name",Duo - Kestrel,"Café, Ōsaka",1999,0,\
                file:///music/a%20b.mp3,00000000000000AA\r
                ,東京 🎷 - live,,x; y,7,4294967295,,\r
                "Mixed, ""up""\",東京 🎷 - live,,x; y,7,4294967295,,\r
                "Mixed, ""up""\",Plain,,,,61,,\r
                "Mixed, ""up""\",東京 🎷 - live,,x; y,7,4294967295,,\r
                "Mixed, ""up""\","A ""quoted"", <b>&</b> \\ name",Duo - Kestrel,"Café, Ōsaka",1999,\
                0,file:///music/a%20b.mp3,00000000000000AA\r
                Empty,,,,,,,\r

                """)
    }

    @Test func csvDoublesAQuoteThatCarriesAnAccent() throws {
        let song = ListedSong(row: 2, title: "a\"\u{301}b", seconds: 1, version: 4)
        let text = LibraryListing(songs: [song]).written(as: .csv)
        #expect(text.hasSuffix("\r\n,\"a\"\"\u{301}b\",,,,1,,\r\n"))
        #expect(try Fixtures.read(text, as: "a.csv").tracks.first?.title == song.title)
    }

    @Test func m3uOfOnePlaylistIsReadByPlayers() {
        var listing = LibraryListing.awkward
        listing.playlists.removeLast()
        #expect(
            listing.written(as: .m3u)
                == """
                #EXTM3U
                #PLAYLIST:Mixed, "up"
                #EXTINF:4294967295,東京 🎷 - live
                #EXTART:
                #EXTALB:x; y
                #EXTINF:61,Plain
                #EXTINF:4294967295,東京 🎷 - live
                #EXTART:
                #EXTALB:x; y
                #EXTINF:0,Duo - Kestrel - A "quoted", <b>&</b> \\ name
                #EXTART:Duo - Kestrel
                #EXTALB:Café, Ōsaka
                /music/a b.mp3

                """)
    }

    @Test func csvComesBackAsItWas() throws {
        let text = LibraryListing.awkward.written(as: .csv)
        #expect(try Fixtures.read(text, as: "a.csv") == LibraryListing.awkward.asImported)
    }

    @Test func xmlComesBackAsItWas() throws {
        let text = LibraryListing.awkward.written(as: .xml)
        #expect(try Fixtures.read(text, as: "a.xml") == LibraryListing.awkward.asImported)
    }

    @Test func m3uComesBackAsItWas() throws {
        var listing = LibraryListing.awkward
        listing.playlists = [ListedPlaylist(row: 2, title: "All", songs: [2, 5, 9])]
        var expected = listing.asImported
        expected.tracks[1].persistentID = ""
        expected.tracks[1].year = nil
        expected.tracks[2].year = nil
        #expect(try Fixtures.read(listing.written(as: .m3u), as: "a.m3u8") == expected)
    }

    @Test func foundationReadsTheXMLToo() throws {
        let data = Data(LibraryListing.awkward.written(as: .xml).utf8)
        let root = try PropertyListSerialization.propertyList(from: data, format: nil)
        let library = try #require(root as? [String: Any])
        let tracks = try #require(library["Tracks"] as? [String: [String: Any]])
        #expect(tracks["5"]?["Name"] as? String == "A \"quoted\", <b>&</b> \\ name")
        #expect(tracks["9"]?["Total Time"] as? Int == 4_294_967_295_000)
        let playlists = try #require(library["Playlists"] as? [[String: Any]])
        let items = try #require(playlists[0]["Playlist Items"] as? [[String: Int]])
        #expect(items.map { $0["Track ID"] } == [9, 2, 9, 5])
    }

    @Test func xmlReplacesWhatItCannotHold() throws {
        let song = ListedSong(row: 2, title: "a\u{0}b\u{1B}c\r\nd", seconds: 1, version: 4)
        let text = LibraryListing(songs: [song]).written(as: .xml)
        let title = try Fixtures.read(text, as: "a.xml").tracks.first?.title
        #expect(title == "a\u{FFFD}b\u{FFFD}c\r\nd")
    }
}
