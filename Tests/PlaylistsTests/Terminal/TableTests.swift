import Testing

@testable import playlists

struct TableTests {
    @Test func columnsLineUp() {
        var table = Table([.init(heading: "Title"), .init(heading: "Time", alignment: .right)])
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
        var table = Table([.init(heading: "T")])
        table.append(["\u{9B}31m"])
        #expect(table.rows == [["�31m"]])
    }

    @Test(arguments: [(0, "0:00"), (59, "0:59"), (225, "3:45"), (3723, "1:02:03"), (-4, "0:00")])
    func timeReadsLikeAClock(_ seconds: Int, _ text: String) {
        #expect(ClockTime.text(seconds) == text)
    }

    @Test func theLongestSongHasATimeToo() {
        #expect(ClockTime.text(UInt32.max) == "1193046:28:15")
    }
}
