import Foundation

/// What the catalog says a text index is made of, and in which form: an index of another definition is made
/// anew. `Sendable`: a value.
struct TextDefinition: Sendable {
    /// The form of the entries in the index's table.
    private static let form = "form 3"

    let version: Int
    /// The declared field that has the text; `nil` for one that the class makes.
    let field: String?
    /// The tokenizer's name and version.
    let tokenizer: String
    /// The tokenizer's fingerprint, in hexadecimal digits.
    let fingerprint: String
    /// Whether the index's entries have a form that this program does not read.
    let hasOtherForm: Bool

    init(version: Int, field: String?, _ tokenizer: Tokenizer) {
        self.version = version
        self.field = field
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
        field = parts[2] == "computed" ? nil : parts[2]
        (tokenizer, fingerprint) = (parts[3], parts[4])
    }

    /// As the catalog has it.
    var text: String {
        "\(Self.form), version \(version), \(field ?? "computed"), \(tokenizer), \(fingerprint)"
    }
}
