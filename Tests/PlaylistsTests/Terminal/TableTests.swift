import Testing

@testable import playlists

struct TableTests {
    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("東京", 4), ("🎷", 2), ("👨‍👩‍👧", 2), ("🇯🇵", 2), ("❤️", 2),
        ("ｱ", 1), ("Ａ", 2), ("한", 2), ("", 0), ("\u{200B}", 0), ("1", 1),
    ])
    func widthIsWhatATerminalShows(_ text: String, _ columns: Int) {
        #expect(DisplayWidth.columns(of: text) == columns)
    }

    @Test func columnsLineUp() {
        var table = Table([.init(heading: "Title"), .init(heading: "Time", alignment: .right)])
        table.append(["東京", "3:05"])
        table.append(["Echoes", "23:31"])
        #expect(
            table.lines() == [
                "Title    Time",
                "------  -----",
                "東京     3:05",
                "Echoes  23:31",
            ])
    }

    @Test func aColumnShrinksToTheTerminalAndNoFurther() {
        var table = Table([
            .init(heading: "Title", canShrink: true), .init(heading: "N", alignment: .right),
        ])
        table.append(["A very long title indeed", "1"])
        #expect(table.lines(within: 15).last == "A very long…  1".prefix(15).description)
        #expect(table.lines(within: 15).allSatisfy { $0.count <= 15 })
        #expect(table.lines(within: 1).last == "A very …  1")
        #expect(table.lines(within: nil).last == "A very long title indeed  1")
    }

    /// Three columns that keep eight places each and three of numbers did not fit into 42.
    @Test(arguments: [24, 30, 42, 60, 80])
    func aTableFitsIntoANarrowTerminal(_ limit: Int) {
        var table = Table([
            .init(heading: "N", alignment: .right), .init(heading: "Row", alignment: .right),
            .init(heading: "Title", canShrink: true), .init(heading: "Artist", canShrink: true),
            .init(heading: "Album", canShrink: true), .init(heading: "Time", alignment: .right),
        ])
        table.append(["1", "@2", "Echoes, live", "Pink Floyd", "Live at Pompeii", "23:31"])
        table.append(["2", "@33", "Paranoid Android", "Radiohead", "OK Computer", "6:23"])
        let lines = table.lines(within: limit)
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { DisplayWidth.columns(of: $0) <= limit })
        #expect(lines[0].contains("Title") && lines[0].hasSuffix("Time"))
        #expect(lines[0].contains("Artist") == (limit > 30))
        #expect(lines[0].contains("Album") == (limit > 42))
    }

    @Test func wideCharactersAreNotCutInHalf() {
        #expect(DisplayWidth.fitted("東京都", to: 4) == "東…")
        #expect(DisplayWidth.fitted("東京都", to: 5) == "東京…")
        #expect(DisplayWidth.fitted("東京都", to: 6) == "東京都")
        #expect(DisplayWidth.fitted("abc", to: 0) == "")
    }

    @Test func aTitleCannotSteerTheTerminal() {
        #expect(DisplayWidth.printable("a\u{1B}[2Jb\r\nc\u{202E}d") == "a�[2Jb��c�d")
        #expect(DisplayWidth.printable("é東🎷") == "é東🎷")
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
