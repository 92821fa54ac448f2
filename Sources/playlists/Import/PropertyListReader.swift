import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What receives the values of a property list while it is read.
///
/// A path consists of keys of dictionaries and of positions in arrays, from 1; the path of the
/// outermost value is empty.
protocol PropertyListConsumer {
    /// The name of the value at `path` for messages, and the kind that it must have; `nil` for
    /// any kind.
    func requirement(at path: [String]) -> (name: String, kind: PropertyListValue.Kind)?

    /// Takes a value that was read with all that is inside it.
    ///
    /// - Returns: false to have the value put into the container around it.
    mutating func take(
        _ value: PropertyListValue, at path: [String]
    ) throws(ImportError.Problem) -> Bool
}

/// Reads an XML property list from a stream with Foundation's `XMLParser`.
///
/// Memory holds the containers that are open, and what the consumer keeps. ``PropertyListProlog``
/// refuses documents that declare anything, so there are no entities but the five of XML, and
/// nothing outside of the file is read. Containers are nested at most
/// ``PropertyListValue/deepest`` levels.
final class PropertyListReader<Consumer: PropertyListConsumer>: NSObject, XMLParserDelegate {
    /// A container of which not all has been read.
    private struct Container {
        var value: PropertyListValue
        let line: Int
        /// Elements of an array that have begun; the consumer may have taken some.
        var count = 0
        /// Whether a key of a dictionary still lacks its value.
        var hasKey = false
    }

    private let source: ImportSource
    private var consumer: Consumer
    private var containers: [Container] = []
    /// Where the value that is read next stands.
    private var path: [String] = []
    /// The open element that holds text or nothing, and its line.
    private var leaf: (name: String, line: Int)?
    private var text = ""
    private var isInside = false
    private var isComplete = false
    private var failure: ImportError?

    /// Reads the property list in `source`.
    ///
    /// - Returns: `consumer`, after it has taken all values.
    static func read(
        _ source: ImportSource, for consumer: Consumer
    ) throws(ImportError) -> Consumer {
        try PropertyListProlog.check(source)
        // Foundation's parser on Linux traps at names that are not UTF-8.
        try source.checkText()
        let reader = PropertyListReader(source, consumer)
        let parser = XMLParser(stream: try source.stream())
        parser.delegate = reader
        parser.shouldResolveExternalEntities = false
        let isRead = parser.parse()
        if let failure = reader.failure { throw failure }
        guard isRead, reader.isComplete else {
            throw source.error(.truncated, line: parser.lineNumber)
        }
        return reader.consumer
    }

    private init(_ source: ImportSource, _ consumer: Consumer) {
        self.source = source
        self.consumer = consumer
    }

    /// Calls `body`, and stops the parser at the first error, which is put at `line`.
    private func attempt(
        _ parser: XMLParser, at line: Int? = nil, _ body: () throws(ImportError.Problem) -> Void
    ) {
        if failure != nil { return }
        do throws(ImportError.Problem) {
            try body()
        } catch {
            failure = source.error(error, line: line ?? parser.lineNumber)
            parser.abortParsing()
        }
    }

    // MARK: - What the parser reports

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        let line = parser.lineNumber
        attempt(parser, at: line) { () throws(ImportError.Problem) in try begin(name, line) }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
        if leaf != nil {
            text += characters
        } else if !characters.utf8.allSatisfy({ $0 == 32 || $0 == 10 || $0 == 13 || $0 == 9 }) {
            attempt(parser) { () throws(ImportError.Problem) in
                throw .malformed(expected: "a tag", found: "text")
            }
        }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        let line = leaf?.line ?? containers.last?.line
        attempt(parser, at: line) { () throws(ImportError.Problem) in try end(name) }
    }

    /// The parser goes on after some errors, and drops what it did not understand; what follows
    /// the first error is not looked at.
    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        if failure != nil { return }
        let code = (error as NSError).code
        // XML_ERR_DOCUMENT_END of libxml2, which also means text behind the end.
        let isCut = code == 5 && !isComplete
        failure = source.error(isCut ? .truncated : .notXML(code: code), line: parser.lineNumber)
    }

    // MARK: - What it makes

    private func begin(_ name: String, _ line: Int) throws(ImportError.Problem) {
        guard leaf == nil else { throw .malformed(expected: "text", found: "<\(name)>") }
        switch (name, containers.last?.value) {
        case ("plist", nil) where !isInside:
            isInside = true
            return
        case ("key", .dictionary) where containers.last?.hasKey == false: break
        case ("key", _), ("plist", _): throw misplaced(name)
        case (_, .dictionary) where containers.last?.hasKey == false: throw misplaced(name)
        case (_, nil) where !isInside || isComplete: throw misplaced(name)
        default: try beginValue(name, line)
        }
        if name == "dict" || name == "array" { return }
        leaf = (name, line)
        text = ""
    }

    private func misplaced(_ name: String) -> ImportError.Problem {
        let expected =
            switch containers.last?.value {
            case .dictionary?: containers.last?.hasKey == true ? "a value" : "<key> or </dict>"
            case .array?: "a value"
            default: isInside ? "one value" : "<plist>"
            }
        return .malformed(expected: expected, found: "<\(name.prefix(40))>")
    }

    private func beginValue(_ name: String, _ line: Int) throws(ImportError.Problem) {
        guard let kind = PropertyListValue.Kind(element: name) else { throw misplaced(name) }
        if case .array? = containers.last?.value {
            containers[containers.count - 1].count += 1
            path[path.count - 1] = "\(containers[containers.count - 1].count)"
        }
        if let (name, needed) = consumer.requirement(at: path), needed != kind {
            throw .wrongType(field: name, expected: needed.rawValue, found: kind.rawValue)
        }
        guard kind == .dictionary || kind == .array else { return }
        let limit = PropertyListValue.deepest
        guard containers.count < limit else { throw .tooDeep(limit: limit) }
        let empty: PropertyListValue = kind == .array ? .array([]) : .dictionary([:])
        containers.append(Container(value: empty, line: line))
        path.append("")
    }

    private func end(_ name: String) throws(ImportError.Problem) {
        if name == "plist" {
            guard isComplete else { throw .malformed(expected: "a value", found: "</plist>") }
        } else if name == "key" {
            path[path.count - 1] = text
            containers[containers.count - 1].hasKey = true
            leaf = nil
        } else if leaf != nil {
            leaf = nil
            guard let value = PropertyListValue(element: name, text: text) else {
                throw .malformed(expected: "<\(name)/>", found: "text")
            }
            try finish(value)
        } else if let container = containers.last {
            guard !container.hasKey else {
                throw .malformed(expected: "a value", found: "</dict>")
            }
            containers.removeLast()
            path.removeLast()
            try finish(container.value)
        }
    }

    /// Gives `value` to the consumer, or else to the container around it.
    private func finish(_ value: PropertyListValue) throws(ImportError.Problem) {
        let isTaken = try consumer.take(value, at: path)
        guard let last = containers.indices.last else {
            isComplete = true
            return
        }
        containers[last].hasKey = false
        if !isTaken { containers[last].value.add(value, for: path[path.count - 1]) }
    }
}
