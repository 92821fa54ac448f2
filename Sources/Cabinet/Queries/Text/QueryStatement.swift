import CabinetTextSearch

/// What a query in text asks, by the names of fields.
struct QueryStatement: Sendable {
    /// A field's name, and where it stands in the text.
    struct Name: Sendable {
        /// The relationships to one, each of the target before, that lead to the object with the field.
        var path: [String] = []
        let text: String
        let position: Int

        /// As it may be written.
        var whole: String { (path + [text]).joined(separator: ".") }
    }

    /// What a field is compared with, and where that stands.
    struct Operand: Sendable {
        let value: FieldValue
        let position: Int
    }

    indirect enum Clause: Sendable {
        case all([Clause])
        case any([Clause])
        case not(Clause)
        case constant(Bool)
        case comparison(Name, FieldRelation, Operand)
        case beginsWith(Name, Operand)
        case contains(Name, Operand)
        case like(Name, Operand)
        /// The field itself, which holds truth values.
        case truth(Name)
    }

    /// One part of the order.
    struct Order: Sendable {
        let name: Name
        let isDescending: Bool
    }

    var clause = Clause.constant(true)
    var order: [Order] = []
    var limit: Int?
    var offset = 0
    /// The text, for errors.
    let text: String

    func error(_ reason: QuerySyntaxError.Reason, at position: Int) -> QuerySyntaxError {
        QuerySyntaxError(reason: reason, position: position, text: text)
    }
}
