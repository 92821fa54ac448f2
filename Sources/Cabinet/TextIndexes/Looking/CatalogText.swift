import CabinetBackend
import Foundation

/// A text index as the catalog describes it, whose texts can be read of records without their class: of a
/// declared field, and of a tokenizer that is built in.
///
/// `Sendable`: a value.
struct CatalogText: Sendable {
    /// Why texts cannot be read, or not be taken apart.
    struct Unusable: Error, Sendable {
        let reason: String
    }

    /// How queries name it.
    let name: String
    let field: String
    let tokenizer: Tokenizer
    /// Its table; `nil` if it cannot be used now.
    let table: TableNumber?
    /// Why it cannot be used now; `nil` if it can.
    let problem: String?

    /// - Parameter tables: those of the store.
    /// - Throws: ``Unusable``
    init(
        _ entry: DerivedEntry, of storedClass: StoreSchema.Class, _ tables: [TableDefinition]
    ) throws(Unusable) {
        guard let definition = TextDefinition(entry.definition) else {
            throw Unusable(reason: "its definition is not understood")
        }
        let field = storedClass.fields.first { $0.name == definition.field }
        guard let field, field.form.comparedScalar == .string else {
            throw Unusable(reason: "only the class makes its texts")
        }
        guard let tokenizer = Tokenizer(definition: definition.tokenizer) else {
            throw Unusable(
                reason: "this program does not know its tokenizer '\(definition.tokenizer)'")
        }
        (name, self.field, self.tokenizer) = (entry.name, field.name, tokenizer)
        let table = tables.first { $0.kind == .ordered && $0.name == entry.table }?.number
        let problem: String? =
            if entry.state != .complete {
                entry.whyUnusable
            } else if table == nil {
                "its table is not there"
            } else if definition.hasOtherForm {
                "its entries have another form"
            } else if String(tokenizer.fingerprint, radix: 16) != definition.fingerprint {
                // Stop words are known by their sum alone.
                "it was made with stop words, or by another form of the tokenizer"
            } else if !storedClass.alwaysHas(field.name) {
                "records of earlier layouts may not have '\(field.name)' as the class reads it"
            } else {
                nil
            }
        self.problem = problem
        self.table = problem == nil ? table : nil
    }
}

extension Tokenizer {
    /// The built-in tokenizer of that name and version, as ``description`` has them; `nil` for none.
    init?(definition: String) {
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

extension StoreSchema {
    /// The text indexes of a class, each with its name: what this program can make of it, or why it cannot.
    static func texts(
        of storedClass: Class, in reader: any BackendReader
    ) throws(BackendError) -> [(name: String, text: Result<CatalogText, CatalogText.Unusable>)] {
        let tables = try reader.tables()
        return try reader.derivedEntries(ofClass: storedClass.number).of(TextKeeper.kind).map {
            entry in
            do throws(CatalogText.Unusable) {
                return (entry.name, .success(try CatalogText(entry, of: storedClass, tables)))
            } catch {
                return (entry.name, .failure(error))
            }
        }
    }
}
