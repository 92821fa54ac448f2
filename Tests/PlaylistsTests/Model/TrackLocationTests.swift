import Testing

@testable import playlists

struct TrackLocationTests {
    @Test(arguments: [
        ("/music/a b.mp3", "file:///music/a%20b.mp3"),
        ("Café/#1?.mp3", "file:///lists/Caf%C3%A9/%231%3F.mp3"),
        ("./x/../y.mp3", "file:///lists/y.mp3"),
        ("../../../y.mp3", "file:///y.mp3"),
        ("C:\\Music\\a.mp3", "file:///C:/Music/a.mp3"),
        ("https://radio.example/x?y=z", "https://radio.example/x?y=z"),
        ("file://localhost/music/a.mp3", "file:///music/a.mp3"),
        ("", ""),
    ])
    func everyWayToNameAFileGivesOneURL(_ text: String, _ url: String) {
        #expect(TrackLocation.url(from: text, relativeTo: "/lists") == url)
    }

    @Test(arguments: [
        "file:///music/a%20b.mp3", "file:///Caf%C3%A9/100%25.mp3", "https://radio.example/a%20b",
        "file:///a%62.mp3", "file:///bad%zz", "file:///line%0Aend.mp3", "file:///C:/x.mp3",
    ])
    func thePathLeadsBackToTheURL(_ url: String) {
        let path = TrackLocation.path(from: url)
        #expect(TrackLocation.url(from: path, relativeTo: "/lists") == url)
        #expect(!path.contains("\n"))
    }

    @Test func theStrongestIdentityComesFirst() {
        var track = ImportedTrack(title: "T", seconds: 9, artist: "A", album: "L")
        let described = TrackIdentity.description(title: "T", artist: "A", album: "L", seconds: 9)
        #expect(track.identity == described)
        #expect(track.identity(.location) == nil)
        track.location = "file:///x"
        #expect(track.identity == .location("file:///x"))
        track.persistentID = "0123456789ABCDEF"
        #expect(track.identity(.location) == .location("file:///x"))
        #expect(track.identity(.description) == described)
        #expect(track.identity == .persistentID("0123456789ABCDEF"))
    }
}
