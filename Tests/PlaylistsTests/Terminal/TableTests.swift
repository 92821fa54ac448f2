import Testing

@testable import playlists

struct TableTests {
    @Test func columnsLineUp() {
        var table = Table(["Title", "Time"], right: ["Time"])
        table.append(["e\u{301}a", "3:05"])
        table.append(["Echoes", "23:31"])
        #expect(
            table.lines == [
                "Title    Time",
                "------  -----",
                "e\u{301}a       3:05",
                "Echoes  23:31",
            ])
    }

    @Test func aTitleCannotSteerTheTerminal() {
        #expect("a\u{1B}[2Jb\r\nc\u{202E}d".printable == "a�[2Jb��c�d")
        #expect("é東🎷".printable == "é東🎷")
        var table = Table(["T"], right: [])
        table.append(["\u{9B}31m"])
        #expect(table.lines.last == "�31m")
    }

    @Test(arguments: [
        (0, "0:00"), (59, "0:59"), (225, "3:45"), (3723, "1:02:03"),
        (UInt32.max, "1193046:28:15"),
    ])
    func timeReadsLikeAClock(_ seconds: UInt32, _ text: String) {
        #expect(clock(seconds) == text)
    }
}
