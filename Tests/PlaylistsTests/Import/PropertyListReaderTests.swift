import Foundation
import Testing
import TrustSupport

@testable import playlists

struct PropertyListReaderTests {
    @Test func everyContainerIsHandedOutWithItsValuesInnerOnesFirst() throws {
        let content = """
            <dict>
                <key>s</key><string>text</string><key>e</key><string/>
                <key>i</key><integer>-5</integer><key>t</key><true/><key>f</key><false></false>
                <key>d</key><date>2010-01-01T00:00:00Z</date><key>b</key><data>AQI=</data>
                <key>a</key><array><real>0.5</real><array/></array>
            </dict>
            """
        let bytes = Array(Fixtures.propertyList(content).utf8)
        var found: [[String]] = []
        try PropertyListReader.read(ImportSource(path: "/a.xml", bytes: bytes)) { element in
            let values = element.values.map { "\($0.key) \($0.value.element) \($0.value.text)" }
            found.append([element.path.joined(separator: "/")] + values.sorted())
        }
        #expect(
            found == [
                ["a/2"], ["a", "1 real 0.5", "2 array "],
                [
                    "", "a array ", "b data AQI=", "d date 2010-01-01T00:00:00Z", "e string ",
                    "f false ", "i integer -5", "s string text", "t true ",
                ],
            ])
    }

    private func title(_ written: String) throws -> String? {
        let name = "<key>Name</key><string>\(written)</string>"
        return try Fixtures.read(Fixtures.library(ofTrack: name)).tracks.first?.title
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
        #expect(try title(written) == read)
    }

    /// The parser hands out long texts, and those at the edge of its buffer, in pieces.
    @Test func aLongTextIsWhole() throws {
        let text = String(repeating: "Ōsaka & Café, ", count: 10_000)
        #expect(try title(text.replacing("&", with: "&amp;")) == text)
    }

    @Test(arguments: ["&nbsp;", "&", "&#xD800;", "&#1114112;", "&#;", "&amp", "&#99999999999;"])
    func aReferenceToNothingNamesItsLine(_ reference: String) throws {
        let error = #expect(throws: ImportError.self) { try title("\n\(reference) and so on") }
        guard case .notXML = error?.problem, error?.line == 5 else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func nestingIsBounded() {
        let open = String(repeating: "<array>", count: 200_000)
        let text = Fixtures.propertyList("<dict><key>a</key>" + open)
        #expect(Fixtures.error(of: text)?.problem == .unexpected("<array>"))
    }

    @Test(arguments: [
        "<dict><string>x</string></dict>", "<dict><key>a</key></dict>", "<dict></array>",
        "<array/>", "<string>a</integer>", "text", "<bogus/>", "</dict>", "<plist/>", "",
        "<dict><key>a</key><true>x</true></dict>", "<dict><key>a</key><plist/></dict>",
        "<dict><key>a</key><key>b</key></dict>", "<key>a</key>", "<dict>text</dict>",
        "<dict><key>Tracks</key><dict/></dict><dict/>", "<dict><key>a</key>text<true/></dict>",
        "<dict><key>a</key><string>a<string/></string></dict>",
        "<dict><key>b</key><array><key>a</key></array></dict>",
    ])
    func wrongOrderOfTagsIsAnErrorInItsLine(_ content: String) {
        let error = Fixtures.error(of: Fixtures.propertyList(content))
        #expect(error?.line == 3 || error?.line == 4)
        #expect(error?.problem != .notALibrary)
    }

    @Test func aCutNamesTheLastLine() {
        let text = Fixtures.propertyList("<dict>\n<key>Tracks</key>\n<dict>\n<key>1</key>\n<dict>")
        let error = Fixtures.error(of: String(text.dropLast("\n</plist>".count)))
        #expect(error == ImportError(path: "/a.xml", line: 7, problem: .truncated))
    }

    @Test func textAfterTheEndIsRefused() {
        let text = Fixtures.propertyList("<dict><key>Tracks</key><dict/></dict>") + "\n<plist/>"
        guard case .notXML = Fixtures.error(of: text)?.problem else {
            Issue.record("not refused")
            return
        }
    }

    // MARK: - What the parser must not see

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
            for comment in ["", "<!-- a comment with <plist> in it -->", "<!---->\u{301}"] {
                let text = """
                    <?xml version="1.0"?>
                    \(comment)
                    <!DOCTYPE \(type) \(declarations) ]>
                    <!-- the end --><plist version="1.0"><dict><key>Tracks</key><dict/></dict></plist>
                    """
                #expect(Fixtures.error(of: text)?.problem == .notAPropertyList)
            }
        }
    }

    @Test func commentsMayStandBeforeAndBehindTheDocumentType() throws {
        let text = """
            \u{FEFF}<!-- one - two --> <!----><!DOCTYPE plist SYSTEM "x"><!-- <!DOCTYPE a [ -->
            <plist><dict><key>Tracks</key><dict/></dict></plist>
            """
        #expect(try Fixtures.read(text) == ImportedLibrary())
    }

    @Test(arguments: [" ", "-", "<!--", "<!-- -->"])
    func aBeginningThatDoesNotEndIsRefused(_ part: String) {
        for start in ["", "<!--"] {
            let text =
                start + String(repeating: part, count: 1 << 16) + "<!DOCTYPE plist []><plist>"
            #expect(Fixtures.error(of: text)?.problem == .notAPropertyList)
        }
    }

    /// In a name it crashed Foundation's parser on Linux.
    @Test(arguments: ["<string>ab", "<str", "<string x=\"", "<!-- "])
    func invalidUTF8NamesItsLine(_ before: String) {
        let bytes =
            Array("<plist>\n<dict><key>a</key>\n\(before)".utf8) + [0xC3, 0x28]
            + Array("</string></dict></plist>".utf8)
        #expect(
            Fixtures.error(of: bytes) == ImportError(path: "/a.xml", line: 3, problem: .notUTF8))
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

    /// Python's writers, among others, make these.
    @Test(arguments: [
        "<?xml version='1.0' encoding='UTF-8'?>", "<?xml version='1.0'?>",
        "<?xml version=\"1.0\" encoding=\"utf8\"?>", "<?xml version='1.0' encoding='us-ascii'?>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>",
        "<?xml version='1.0' standalone='no' ?>", "<?xml\n version = '1.0'\n?>",
        "<?xml version='1.0' encoding='utf-8'?><?xml-stylesheet href='a'?>\n<!-- > -->",
        "<?xml version='1.0'?><!DOCTYPE plist PUBLIC '-//Apple//DTD PLIST 1.0//EN' \"x > y\">", "",
    ])
    func whateverXMLMayBeginWithIsRead(_ beginning: String) throws {
        for mark in ["", "\u{FEFF}"] {
            let text = mark + beginning + "<plist><dict><key>Tracks</key><dict/></dict></plist>"
            #expect(try Fixtures.read(text) == ImportedLibrary())
        }
    }

    /// Foundation's parser compares each attribute of a tag with all others of it.
    @Test(arguments: [1, 3, 200_000])
    func aTagIsShort(_ count: Int) {
        let attributes = (0..<count).map { " a\($0)='>'" }.joined()
        let content = "<dict><key>Tracks</key><dict\(attributes)/></dict>"
        for text in [Fixtures.propertyList(content), "<plist\(attributes)>\n\n\(content)</plist>"] {
            let error = Fixtures.error(of: text)
            if count < 200_000 {
                #expect(error == nil)
            } else {
                #expect(error?.problem == .unexpected("a tag of more than 1024 bytes"))
                #expect(error?.line == (text.hasPrefix("<plist ") ? 1 : 3))
            }
        }
    }

    /// What comes in pieces is read as what comes at once.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func markupIsFollowedWhateverThePieces(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let parts = [
            "<!--", "-->", "<![CDATA[", "]]>", "<?a", "?>", "<dict a='>'>", "</dict>", "<", ">",
            "-",
            "]", "'", "\"", "text", "<!DOCTYPE plist>", "<!DOCTYPE [", "<plist>", "<plist", " ",
            "\n",
        ]
        for _ in 0..<200 {
            let text = (0..<random.below(12)).map { _ in parts[random.below(parts.count)] }
            let bytes = Array(text.joined().utf8)
            var whole = MarkupCheck()
            let problem = Result { () throws(ImportError.Problem) in try whole.take(bytes[...]) }
            var pieces = MarkupCheck()
            let other = Result { () throws(ImportError.Problem) in
                var start = 0
                while start < bytes.count {
                    let end = min(start + 1 + random.below(5), bytes.count)
                    try pieces.take(bytes[start..<end])
                    start = end
                }
            }
            #expect("\(problem)" == "\(other)")
            #expect(whole.isInList == pieces.isInList && whole.line == pieces.line)
        }
    }

    @Test func otherEncodingsAndFormsOfPropertyListsAreRefused() {
        for encoding in ["ISO-8859-1", "UTF-7", "UTF-16"] {
            let text = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><plist><dict/></plist>"
            #expect(Fixtures.error(of: text)?.problem == .notAPropertyList)
        }
        for bytes in [[0xFF, 0xFE, 0x3C, 0], [0x3C, 0, 0x70, 0], Array("bplist00\u{1}".utf8)] {
            #expect(Fixtures.error(of: bytes)?.problem == .notAPropertyList)
        }
    }
}
