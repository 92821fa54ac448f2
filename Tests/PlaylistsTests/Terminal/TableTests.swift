import Testing

@testable import playlists

struct TableTests {
    @Test func columnsLineUp() {
        var table = Table(["Title", "Time"], right: ["Time"])
        table.append(["e\u{301}a", "3:05"])
        table.append(["Echoes", "23:31"])
        #expect(
            table.lines() == [
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
        #expect(table.lines().last == "�31m")
    }

    @Test func marksTakeNoRoomAndAreShownOnTerminalsOnly() {
        var table = Table(["Title", "Time"], right: ["Time"])
        let title = "A \u{1B}Blue Train"
        let found = title.ranges(of: "Blue") + title.ranges(of: "\u{1B}")
        table.append([
            TableCell(title, marking: found.sorted { $0.lowerBound < $1.lowerBound }),
            TableCell("10:43"),
        ])
        table.append(["B", "1:00"])
        #expect(
            table.lines().dropFirst(2) == [
                "A �Blue Train  10:43", "B               1:00",
            ])
        let (on, off) = ("\u{1B}[1;4m", "\u{1B}[22;24m")
        #expect(
            table.lines(marked: true).dropFirst(2) == [
                "A \(on)�\(off)\(on)Blue\(off) Train  10:43", "B               1:00",
            ])
    }

    @Test(arguments: [
        (0, "0:00"), (59, "0:59"), (225, "3:45"), (3723, "1:02:03"),
        (UInt32.max, "1193046:28:15"),
    ])
    func timeReadsLikeAClock(_ seconds: UInt32, _ text: String) {
        #expect(clock(seconds) == text)
    }
}
