import Testing

@testable import playlists

struct ShellWordsTests {
    @Test(
        arguments: [
            ("list", ["list"]),
            ("  add  Mix\tSong ", ["add", "Mix", "Song"]),
            ("add \"Long Drive\" 'Don''t'", ["add", "Long Drive", "Dont"]),
            (#"new "say \"hi\"" a\ b 'back\slash'"#, ["new", "say \"hi\"", "a b", "back\\slash"]),
            ("new \"\" ''", ["new", "", ""]),
            ("list # all of them", ["list"]),
            ("show @12", ["show", "@12"]),
            ("show \\#12 a#b", ["show", "#12", "a#b"]),
            ("", []), ("   ", []), ("# comment", []),
            ("new 東京 🎷", ["new", "東京", "🎷"]),
        ] as [(String, [String])])
    func aLineIsCutIntoWords(_ line: String, _ words: [String]) throws {
        #expect(try ShellWords.split(line) == words)
    }

    @Test func whatIsOpenedMustBeClosed() {
        for line in ["new \"a b", "new 'a", "new a\\", "new \"a\\"] {
            #expect(throws: UsageError.self) { try ShellWords.split(line) }
        }
    }
}
