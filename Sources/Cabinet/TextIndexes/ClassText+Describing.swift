import CabinetBackend
import CabinetTextSearch
import Foundation

extension ClassText {
    /// A text index as the catalog describes it, whose texts can be read of records without their class: of a
    /// declared field, and of a tokenizer that is built in.
    /// - Returns: the index, with why its entries cannot be used: then each text is looked at.
    /// - Throws: ``UnusedTable/Reason`` if its texts cannot be read, or not be taken apart.
    static func describe(
        _ entry: DerivedEntry, of storedClass: StoredClass, _ described: StoreSchema.Class,
        _ keeper: TextKeeper
    ) throws(UnusedTable.Reason) -> (ClassText, problem: String?) {
        func unused(_ text: String) -> UnusedTable.Reason { .init(text: text) }
        guard let definition = TextDefinition(entry.definition) else {
            throw unused("its definition is not understood")
        }
        let fields = keeper.store.fields(of: storedClass)
        guard let field = definition.field.flatMap({ fields.field(named: $0) }), field.isOfText
        else { throw unused("only the class makes its texts") }
        guard let tokenizer = Tokenizer(definition: definition.tokenizer) else {
            throw unused("this program does not know its tokenizer '\(definition.tokenizer)'")
        }
        let problem: String? =
            if entry.state != .complete {
                entry.whyUnusable
            } else if definition.hasOtherForm {
                "its entries have another form"
            } else if String(tokenizer.fingerprint, radix: 16) != definition.fingerprint {
                // Stop words are known by their sum alone.
                "it was made with stop words, or by another form of the tokenizer"
            } else if !described.alwaysHas(field.name) {
                "records of earlier layouts may not have '\(field.name)' as the class reads it"
            } else {
                nil
            }
        let index = TextIndex(
            owner: DescribedObject.self, keyPath: nil, givenName: entry.name,
            version: definition.version, tokenizer: tokenizer
        ) { _ in nil }
        let source = TextSource(
            index, field, named: field.name, .field(field.name, upgradedTo: nil))
        do {
            // One of another definition is not asked.
            return (
                try ClassText(
                    source, named: entry.name, definition: problem == nil ? entry.definition : "",
                    of: storedClass, keeper), problem
            )
        } catch {
            throw unused("\(error)")
        }
    }
}

extension Tokenizer {
    /// The built-in tokenizer of that name and version, as ``description`` has them; `nil` for none.
    fileprivate init?(definition: String) {
        let words = definition.components(separatedBy: " ")
        guard words.count == 2 else { return nil }
        var parts = words[0].components(separatedBy: ".")
        let kind = parts.removeFirst()
        let tokenizer: Tokenizer
        switch kind {
        case "substring" where parts.isEmpty: tokenizer = .substring
        case "words":
            let keepsDiacritics = parts.last == "diacritics"
            if keepsDiacritics { parts.removeLast() }
            guard parts.count <= 1, parts.allSatisfy(Self.languages.contains) else { return nil }
            tokenizer = .words(language: parts.first, keepsDiacritics: keepsDiacritics)
        default: return nil
        }
        guard tokenizer.description == definition else { return nil }
        self = tokenizer
    }
}
