import CabinetBackend
import Foundation

/// How keys of an index have the values of one field, for programs without its class. `Sendable`: a value.
enum KeyForm: Hashable, Sendable {
    case integer, float, bool, date, uuid, data, decimal
    case text(Collation)

    /// - Parameters:
    ///   - name: what ``IndexDefinition`` calls the form.
    ///   - type: what the catalog says of the field.
    ///   - collation: the order of texts.
    /// - Returns: `nil` for a form that only the class knows, or one that is not of that field.
    init?(_ name: Substring, of type: FieldType, _ collation: Collation?) {
        guard let scalar = type.comparedScalar else { return nil }
        let form: KeyForm
        switch scalar {
        case .uint8, .uint16, .uint32, .uint64, .uint128, .uint, .int8, .int16, .int32, .int64,
            .int128, .int:
            form = .integer
        case .float, .double: form = .float
        case .bool: form = .bool
        case .date: form = .date
        case .uuid: form = .uuid
        case .data: form = .data
        case .decimal: form = .decimal
        case .string: form = .text(collation ?? .unicode)
        case .url: return nil
        }
        guard form.name == name || form == .decimal && name == "Decimal or NaN" else { return nil }
        if collation != nil, form.name != "String" { return nil }
        self = form
    }

    private var name: String {
        switch self {
        case .integer: "integer"
        case .float: "float"
        case .bool: "Bool"
        case .date: "Date"
        case .uuid: "UUID"
        case .data: "Data"
        case .decimal: "Decimal"
        case .text: "String"
        }
    }

    /// Whether keys are in the order in which values are compared, and equal where these are.
    var isInOrder: Bool {
        if case .text(let collation) = self { collation == .unicode } else { true }
    }

    /// Whether equal values have equal keys.
    var keepsEqualTogether: Bool {
        if case .text(let collation) = self { !collation.mayDivideEqualTexts } else { true }
    }

    /// Appends the part of a value of the field. `false`, with nothing appended, for a value of another
    /// kind, also for a number that the field cannot have.
    func append(_ value: FieldValue, to key: inout OrderedKeyBuilder) -> Bool {
        switch (self, value) {
        case (_, .none): key.appendNil()
        case (.integer, .integer(let value)): key.append(value)
        case (.integer, .largeInteger(let value)): key.append(value)
        case (.float, .float(let value)): key.append(value)
        case (.float, .double(let value)): key.append(value)
        case (.float, .integer(let value)):
            guard let exact = Double(exactly: value) else { return false }
            key.append(exact)
        case (.bool, .bool(let value)): key.append(value)
        case (.date, .date(let value)): key.append(value)
        case (.uuid, .uuid(let value)): key.append(value)
        case (.data, .bytes(let value)): key.append(value)
        case (.decimal, .decimal(let value)): key.append(value)
        case (.text(let collation), .text(let value)): key.append(value, collation: collation)
        default: return false
        }
        return true
    }
}

extension Collation {
    /// The collation as an index's definition has it.
    var definition: String { "\(self) \(String(fingerprint, radix: 16))" }
}
