import Foundation
import Testing

@testable import playlists

/// Keeps the whole property list.
private struct Whole: PropertyListConsumer {
    var value: PropertyListValue?

    func requirement(at path: [String]) -> (name: String, kind: PropertyListValue.Kind)? { nil }

    mutating func take(_ value: PropertyListValue, at path: [String]) -> Bool {
        if path.isEmpty { self.value = value }
        return path.isEmpty
    }
}

struct PropertyListReaderTests {
    private func value(_ content: String) throws -> PropertyListValue? {
        let bytes = Array(Fixtures.propertyList(content).utf8)
        return try PropertyListReader.read(
            ImportSource(path: "/a.xml", bytes: bytes), for: Whole()
        ).value
    }

    @Test func everyKindOfValueIsRead() throws {
        let content = """
            <dict>
                <key>s</key><string>text</string><key>e</key><string/>
                <key>i</key><integer>-5</integer><key>r</key><real>0.5</real>
                <key>t</key><true/><key>f</key><false></false>
                <key>d</key><date>2010-01-01T00:00:00Z</date><key>b</key><data>AQI=</data>
                <key>a</key><array><integer>1</integer><array/></array><key>o</key><dict/>
            </dict>
            """
        #expect(
            try value(content)
                == .dictionary([
                    "s": .string("text"), "e": .string(""), "i": .integer("-5"),
                    "r": .other(.real), "t": .boolean(true), "f": .boolean(false),
                    "d": .other(.date), "b": .other(.data),
                    "a": .array([.integer("1"), .array([])]), "o": .dictionary([:]),
                ]))
    }

    @Test(arguments: [
        ("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"),
        ("&#38;&#x26;&#xE9;&#128640;", "&&é🚀"),
        ("one\r\ntwo\rthree&#13;", "one\ntwo\nthree\r"),
        ("a<![CDATA[<b>&amp;]]>c", "a<b>&amp;c"),
        ("a<!-- not <b> this -->c", "ac"),
        ("", ""),
    ])
    func textIsReadAsXMLSays(_ written: String, _ read: String) throws {
        #expect(try value("<string>\(written)</string>") == .string(read))
    }

    /// The parser hands out long texts, and those at the edge of its buffer, in pieces.
    @Test func aLongTextIsWhole() throws {
        let text = String(repeating: "Ōsaka & Café, ", count: 3000)
        #expect(
            try value("<string>\(text.replacing("&", with: "&amp;"))</string>") == .string(text))
    }

    @Test(arguments: ["&nbsp;", "&", "&#xD800;", "&#1114112;", "&#;", "&amp", "&#99999999999;"])
    func aReferenceToNothingNamesItsLine(_ reference: String) throws {
        let error = try #require(throws: ImportError.self) {
            try value("<string>\n\(reference) and so on and on</string>")
        }
        guard case .notXML = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(error.line == 4)
    }

    @Test func nestingIsBounded() {
        let open = String(repeating: "<array>", count: 200_000)
        let text = Fixtures.propertyList("<dict><key>a</key>" + open)
        #expect(
            Fixtures.error(of: text, as: "a.xml")
                == ImportError(
                    path: "/fixtures/a.xml", line: 3,
                    problem: .tooDeep(limit: PropertyListValue.deepest)))
    }

    /// Foundation's parser on Linux drops entities, reads through parameter entities, and
    /// crashed at the notation.
    @Test(arguments: [
        "<!ENTITY a \"aaaaaaaaaa\"> <!ENTITY b \"&a;&a;&a;&a;\">",
        "<!ENTITY a SYSTEM \"file:///etc/hostname\">", "<!ENTITY % p SYSTEM \"file:///a\"> %p;",
        "<!NOTATION n SYSTEM \"x\"> <!ENTITY u SYSTEM \"y\" NDATA n>",
        "<!ATTLIST plist version CDATA \"1\">", "<!ELEMENT plist ANY>",
    ])
    func declarationsOfTheDocumentAreRefused(_ declarations: String) {
        for type in ["plist [", "plist PUBLIC \"-//A//B\" \"http://a\" [", "plist SYSTEM \">\" ["] {
            let text = """
                <?xml version="1.0"?>
                <!-- a comment with <plist> in it -->
                <!DOCTYPE \(type) \(declarations) ]>
                <plist version="1.0"><dict><key>Tracks</key><dict/></dict></plist>
                """
            let error = Fixtures.error(of: text, as: "a.xml")
            #expect(error?.line == 3)
            guard case .malformed = error?.problem else {
                Issue.record("not refused: \(type)")
                return
            }
        }
    }

    @Test func aPrologThatDoesNotEndIsRefused() {
        let comment = "<!--" + String(repeating: " ", count: PropertyListProlog.longest) + "-->"
        let text = comment + "<!DOCTYPE plist [ <!ENTITY a \"a\"> ]><plist><dict/></plist>"
        #expect(Fixtures.error(of: text, as: "a.xml")?.problem == .truncated)
    }

    @Test(arguments: [
        "<dict><string>x</string></dict>", "<dict><key>a</key></dict>", "<dict></array>",
        "<string>a</integer>", "text", "<bogus/>", "</dict>", "<plist/>", "<true>x</true>",
        "<dict><key>a</key><key>b</key></dict>", "<string>a<string/></string>", "",
        "<key>a</key>", "<dict/><dict/>", "<dict>text</dict>", "<array><key>a</key></array>",
        "<dict><key>a</key>text<true/></dict>",
    ])
    func wrongOrderOfTagsIsAnErrorInItsLine(_ content: String) throws {
        let error = try #require(throws: ImportError.self) { try value(content) }
        #expect(error.line == 3 || error.line == 4)
    }

    @Test func theErrorSaysWhatWasExpected() {
        let text = Fixtures.propertyList("<dict>\n\n<string>x</string></dict>")
        #expect(
            Fixtures.error(of: text, as: "a.xml")?.description
                == "/fixtures/a.xml, line 5: Expected <key> or </dict>, found <string>.")
    }

    @Test func aCutNamesTheLastLine() {
        let text = Fixtures.propertyList("<dict>\n<key>Tracks</key>\n<dict>\n<key>1</key>\n<dict>")
        let cut = String(text.dropLast("\n</plist>".count))
        #expect(
            Fixtures.error(of: cut, as: "a.xml")
                == ImportError(path: "/fixtures/a.xml", line: 7, problem: .truncated))
    }

    @Test func textAfterTheEndIsRefused() {
        let text = Fixtures.propertyList("<dict><key>Tracks</key><dict/></dict>") + "\n<plist/>"
        guard case .notXML = Fixtures.error(of: text, as: "a.xml")?.problem else {
            Issue.record("not refused")
            return
        }
    }

    /// In a name it crashed Foundation's parser on Linux.
    @Test(arguments: ["<string>ab", "<str", "<string x=\"", "<!-- "])
    func invalidUTF8NamesItsLine(_ before: String) {
        let bytes =
            Array("<plist>\n<dict><key>a</key>\n\(before)".utf8) + [0xC3, 0x28]
            + Array("</string></dict></plist>".utf8)
        #expect(
            Fixtures.error(of: bytes, as: "a.xml")
                == ImportError(path: "/fixtures/a.xml", line: 3, problem: .notUTF8))
    }

    @Test func invalidUTF8BehindTheFirstPieceOfAFileNamesItsLine() throws {
        try Place.temporary { place in
            let file = place.directory.appending(path: "Library.xml")
            let lines = Array(repeating: "<!-- é -->", count: 20_000).joined(separator: "\n")
            try Data(Array("<plist>\n\(lines)".utf8) + [0xFF]).write(to: file)
            let source = try ImportSource(path: file.path)
            let error = #expect(throws: ImportError.self) { try AppleLibraryImporter.read(source) }
            #expect(error?.problem == .notUTF8 && error?.line == 20_001)
        }
    }

    @Test(arguments: ["ISO-8859-1", "UTF-7", "UTF-16"])
    func otherEncodingsAreNamed(_ encoding: String) {
        for quote in ["\"", "'"] {
            let text =
                "<?xml version=\"1.0\" encoding = \(quote)\(encoding)\(quote)?><plist><dict/></plist>"
            #expect(
                Fixtures.error(of: text, as: "a.xml")
                    == ImportError(
                        path: "/fixtures/a.xml", line: 1, problem: .unsupportedEncoding(encoding)))
        }
    }

    @Test func otherFormsOfPropertyListsAreRefused() {
        #expect(Fixtures.error(of: [0xFF, 0xFE, 0x3C, 0], as: "a.xml") != nil)
        #expect(Fixtures.error(of: [0x3C, 0, 0x70, 0], as: "a.xml") != nil)
        #expect(
            Fixtures.error(of: "bplist00\u{1}", as: "a.xml")?.problem == .binaryPropertyList)
    }
}
