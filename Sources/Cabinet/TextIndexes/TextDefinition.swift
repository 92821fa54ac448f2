import CabinetTextSearch
import Foundation

/// What the catalog says a text index is made of, and in which form: an index of another definition is made
/// anew. `Sendable`: a value.
struct TextDefinition: Sendable {
    /// The form of the entries in the index's table.
    private static let form = "form 4"

    /// What the text is of. `Sendable`: a value.
    enum Origin: Sendable, Hashable {
        /// A declared field, as ``ClassFields/definedName(of:)`` says it. A class that upgrades records itself may make another text of the same record
        /// with each layout that it gets.
        case field(String, upgradedTo: String?)
        /// A property of a class that is written by hand, of which each version may read another text.
        case property(version: UInt8)
        /// What a closure or a computed property makes.
        case computed

        /// As the catalog has it. The name of a field has no space.
        var text: String {
            switch self {
            case .field(let name, nil): name
            case .field(let name, let form?): "\(name) upgraded to \(form)"
            case .property(let version): "property of version \(version)"
            case .computed: "computed"
            }
        }

        /// The name of the field in the text of an origin; `nil` for another origin.
        static func fieldName(in text: String) -> String? {
            if text == "computed" || text.hasPrefix("property of version ") { return nil }
            return text.split(separator: " ").first.map(String.init)
        }
    }

    let version: Int
    /// What the text is of.
    private let origin: String
    /// The declared field that has the text; `nil` for one that the class makes.
    var field: String? { Origin.fieldName(in: origin) }
    /// The tokenizer's name and version.
    let tokenizer: String
    /// The tokenizer's fingerprint, in hexadecimal digits.
    let fingerprint: String
    /// Whether the index's entries have a form that this program does not read.
    let hasOtherForm: Bool

    init(version: Int, _ origin: Origin, _ tokenizer: Tokenizer) {
        self.version = version
        self.origin = origin.text
        self.tokenizer = tokenizer.description
        hasOtherForm = false
        fingerprint = String(tokenizer.fingerprint, radix: 16)
    }

    /// `nil` for a text that says none of that.
    init?(_ text: String) {
        let parts = text.components(separatedBy: ", ")
        guard parts.count == 5, parts[0].hasPrefix("form "), parts[1].hasPrefix("version "),
            let version = Int(parts[1].dropFirst("version ".count))
        else { return nil }
        hasOtherForm = parts[0] != Self.form
        self.version = version
        origin = parts[2]
        (tokenizer, fingerprint) = (parts[3], parts[4])
    }

    /// As the catalog has it.
    var text: String {
        "\(Self.form), version \(version), \(origin), \(tokenizer), \(fingerprint)"
    }
}
