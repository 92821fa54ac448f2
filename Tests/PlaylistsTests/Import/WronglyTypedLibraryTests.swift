import Testing

@testable import playlists

/// Property lists whose XML is good and whose content is not a library's.
struct WronglyTypedLibraryTests {
    private func problem(inTrack fields: String) -> ImportError? {
        Fixtures.error(
            of: Fixtures.propertyList(
                "<dict><key>Tracks</key><dict>\n<key>7</key>\n<dict>\(fields)</dict></dict></dict>"),
            as: "Library.xml")
    }

    @Test func aNumberWhereAStringBelongsNamesTrackFieldAndLine() {
        #expect(
            problem(inTrack: "<key>Name</key><integer>12</integer>")
                == ImportError(
                    path: "/fixtures/Library.xml", line: 5,
                    problem: .wrongType(
                        field: "Track 7, Name,", expected: "a string", found: "a whole number")))
    }

    @Test(arguments: ["-1", "4294967295001", "99999999999999999999999", "", "12x"])
    func aTimeThatCannotBeIsRefused(_ time: String) {
        let error = problem(inTrack: "<key>Total Time</key><integer>\(time)</integer>")
        #expect(
            error?.problem
                == .outOfRange(
                    field: "Track 7, Total Time,", value: time,
                    allowed: "a whole number from 0 to 4294967295000"))
    }

    @Test func theLongestTimeIsTheLargestUInt32() throws {
        let text = Fixtures.propertyList(
            "<dict><key>Tracks</key><dict><key>7</key><dict><key>Total Time</key>"
                + "<integer>4294967295000</integer></dict></dict></dict>")
        #expect(try Fixtures.read(text, as: "a.xml").tracks.first?.seconds == .max)
    }

    @Test(arguments: ["-3", "10000", "65536"])
    func aYearThatCannotBeIsRefused(_ year: String) {
        #expect(problem(inTrack: "<key>Year</key><integer>\(year)</integer>") != nil)
    }

    @Test func aStrangeValueInAnUnusedFieldDoesNoHarm() throws {
        #expect(problem(inTrack: "<key>Play Date</key><integer>many</integer>") == nil)
    }

    @Test(arguments: [
        ("<string>hello</string>", "The library"),
        ("<array/>", "The library"),
        ("<dict><key>Tracks</key><array/></dict>", "\"Tracks\""),
        ("<dict><key>Tracks</key><string>x</string></dict>", "\"Tracks\""),
        ("<dict><key>Tracks</key><dict><key>1</key><true/></dict></dict>", "Track 1"),
        ("<dict><key>Playlists</key><dict/></dict>", "\"Playlists\""),
        ("<dict><key>Playlists</key><array><integer>1</integer></array></dict>", "Playlist 1"),
    ])
    func theWrongShapeSaysWhichPartIsWrong(_ content: String, _ part: String) {
        let error = Fixtures.error(of: Fixtures.propertyList(content), as: "Library.xml")
        guard case .wrongType(let field, _, _) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(field == part)
    }

    @Test func aPropertyListWithoutTracksIsNoLibrary() {
        let text = Fixtures.propertyList("<dict><key>Label</key><string>x</string></dict>")
        #expect(
            Fixtures.error(of: text, as: "Library.xml")?.problem
                == .notALibrary(missing: "\"Tracks\""))
    }

    @Test func anItemThatIsNoDictionaryIsRefused() {
        let text = Fixtures.propertyList(
            "<dict><key>Playlists</key><array><dict><key>Playlist Items</key>"
                + "<array><integer>1</integer></array></dict></array></dict>")
        #expect(Fixtures.error(of: text, as: "Library.xml") != nil)
    }
}
