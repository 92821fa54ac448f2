import Testing

@testable import playlists

struct PropertyListReaderTests {
    private func value(_ content: String) throws -> PropertyListValue {
        let bytes = Array(Fixtures.propertyList(content).utf8)
        var reader = try PropertyListReader(ImportSource(path: "/a.xml", bytes: bytes))
        let value = try reader.readValue()
        try reader.finish()
        return value
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
                    "r": .real("0.5"), "t": .boolean(true), "f": .boolean(false),
                    "d": .date("2010-01-01T00:00:00Z"), "b": .data("AQI="),
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

    @Test(arguments: ["&nbsp;", "&", "&#xD800;", "&#1114112;", "&#;", "&amp", "&#99999999999;"])
    func aReferenceToNothingIsMalformed(_ reference: String) throws {
        let error = try #require(throws: ImportError.self) {
            try value("<string>\(reference) and so on and on</string>")
        }
        guard case .malformed(let expected, _) = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(expected == "a character reference")
        #expect(error.line == 3)
    }

    @Test func nestingIsBounded() {
        let open = String(repeating: "<array>", count: 200_000)
        let text = Fixtures.propertyList("<dict><key>a</key>" + open)
        #expect(
            Fixtures.error(of: text, as: "a.xml")?.problem
                == .tooDeep(limit: PropertyListReader.deepest))
    }

    @Test func entitiesOfTheDocumentAreRefused() {
        let text = """
            <?xml version="1.0"?>
            <!DOCTYPE plist [ <!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;"> ]>
            <plist version="1.0"><dict/></plist>
            """
        guard case .malformed(_, let found) = Fixtures.error(of: text, as: "a.xml")?.problem else {
            Issue.record("not refused")
            return
        }
        #expect(found == "a document with declarations of its own")
    }

    @Test(arguments: [
        "<dict><string>x</string></dict>", "<dict><key>a</key></dict>", "<dict></array>",
        "<string>a</integer>", "text", "<bogus/>", "</dict>", "<plist/>", "<true>x</true>",
        "<dict><key>a</key><key>b</key></dict>",
    ])
    func wrongOrderOfTagsIsAnError(_ content: String) {
        #expect(throws: ImportError.self) { try value(content) }
    }

    @Test func invalidUTF8NamesItsByte() {
        var bytes = Array("<plist><dict><key>a</key><string>ab".utf8)
        let bad = bytes.count
        bytes += [0xC3, 0x28] + Array("</string></dict></plist>".utf8)
        #expect(
            Fixtures.error(of: bytes, as: "a.xml")
                == ImportError(
                    path: "/fixtures/a.xml", line: 1, problem: .invalidUTF8(byte: bad)))
    }

    @Test func otherEncodingsAreNamed() {
        let latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><dict/></plist>"
        #expect(
            Fixtures.error(of: latin, as: "a.xml")?.problem == .unsupportedEncoding("ISO-8859-1"))
        #expect(
            Fixtures.error(of: [0xFF, 0xFE, 0x3C, 0], as: "a.xml")?.problem
                == .unsupportedEncoding("UTF-16"))
        #expect(
            Fixtures.error(of: "bplist00\u{1}", as: "a.xml")?.problem == .binaryPropertyList)
    }
}
