import Testing

@testable import playlists

struct CompletionTests {
    private let titles = ["Road Trip", "Rock", "rain", "Say \"Hi\" \\o/", "東京 🎷"]

    @Test(
        arguments: [
            ("re", ["redo", "remove", "rename"]), ("delete", ["delete", "delete-song"]),
            ("q", ["quit"]), ("tour", []), ("x", []), ("search R", []), ("new R", []),
            ("add", ["add"]),
            ("list Ro", ["list \"Road Trip\"", "list \"Rock\""]),
            ("list \"Road T", ["list \"Road Trip\""]), ("list 'Road T", ["list \"Road Trip\""]),
            ("list Road\\ T", ["list \"Road Trip\""]), ("export roc", ["export \"Rock\""]),
            ("add R", ["add \"Road Trip\"", "add \"Rock\""]), ("add r", ["add \"rain\""]),
            ("add Rock ", []), ("add \"Rock\" R", []), ("move  東", ["move \"東京 🎷\""]),
            ("list Say", [#"list "Say \"Hi\" \\o/""#]), ("list x", []),
        ] as [(String, [String])])
    func aLineIsCompletedWithCommandsAndPlaylists(_ line: String, _ lines: [String]) {
        #expect(Completion.lines(from: line, playlists: titles) == lines)
    }

    @Test func allCommandsAndAllPlaylistsAreProposed() {
        let shown = Command.allCases.filter(\.isInShell).count
        #expect(Completion.lines(from: "", playlists: titles).count == shown + 2)
        #expect(Completion.lines(from: "list ", playlists: titles).count == titles.count)
    }

    @Test func whatIsProposedIsOneWordForTheShell() throws {
        for (line, title) in zip(Completion.lines(from: "list ", playlists: titles), titles) {
            #expect(try ShellWords.split(line) == ["list", title])
        }
    }
}
