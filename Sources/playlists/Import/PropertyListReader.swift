import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads an XML property list with Foundation's `XMLParser`, container by container: memory holds
/// those that have begun and not ended, so a file of any size can be read.
final class PropertyListReader: NSObject, XMLParserDelegate {
    typealias Taker = (PropertyListElement) throws(ImportError.Problem) -> Void

    /// More levels than this are refused; iTunes nests five.
    static let deepest = 32
    private static let values: Set = [
        "string", "integer", "real", "true", "false", "date", "data", "array", "dict",
    ]

    private let source: ImportSource
    private let take: Taker
    /// The elements that have begun and not ended, the outermost first.
    private var open: [PropertyListElement] = []
    private var isComplete = false
    private var failure: ImportError?

    /// Calls `take` with every dictionary and array in `source`, inner ones first.
    static func read(_ source: ImportSource, take: @escaping Taker) throws(ImportError) {
        try source.check()
        guard let stream = source.stream() else { throw source.error(.noSuchFile) }
        let reader = PropertyListReader(source, take)
        let parser = XMLParser(stream: stream)
        parser.delegate = reader
        let isRead = parser.parse()
        if let failure = reader.failure { throw failure }
        guard isRead, reader.isComplete else {
            throw source.error(.truncated, line: parser.lineNumber)
        }
    }

    private init(_ source: ImportSource, _ take: @escaping Taker) {
        self.source = source
        self.take = take
    }

    /// The parser goes on after some errors: what follows the first one is not looked at.
    private func fail(_ problem: ImportError.Problem, _ parser: XMLParser, line: Int? = nil) {
        if failure != nil { return }
        failure = source.error(problem, line: line ?? parser.lineNumber)
        parser.abortParsing()
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        if failure != nil { return }
        let around = open.last
        let mayStandHere =
            switch around?.name {
            case nil: name == "plist"
            case "plist": name == "dict" && around?.values.isEmpty == true
            case "dict" where around?.key == nil: name == "key"
            case "dict", "array": Self.values.contains(name)
            default: false
            }
        guard mayStandHere, open.count < Self.deepest else {
            return fail(.unexpected("<\(name.prefix(40))>"), parser)
        }
        var path: [String] = []
        if name == "dict" || name == "array", let around, around.name != "plist" {
            path = around.path + [around.key ?? "\(around.values.count + 1)"]
        }
        open.append(PropertyListElement(name: name, path: path, line: parser.lineNumber))
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
        guard failure == nil, let last = open.indices.last else { return }
        if open[last].isContainer || ["plist", "true", "false"].contains(open[last].name) {
            let isSpace = characters.utf8.allSatisfy { $0 == 32 || (9...13).contains($0) }
            if !isSpace { fail(.unexpected("text"), parser) }
        } else {
            open[last].text += characters
        }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard failure == nil, let element = open.popLast() else { return }
        if element.key != nil || (name == "plist" && element.values.isEmpty) {
            return fail(.unexpected("</\(name)>"), parser)
        }
        guard let last = open.indices.last else {
            isComplete = true
            return
        }
        if name == "key" {
            open[last].key = element.text
            return
        }
        do throws(ImportError.Problem) {
            if element.isContainer { try take(element) }
            open[last].add(element)
        } catch {
            fail(error, parser, line: element.line)
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        let code = (error as NSError).code
        // XML_ERR_DOCUMENT_END of libxml2, which also means text behind the end.
        fail(code == 5 && !isComplete ? .truncated : .notXML(code: code), parser)
    }
}
