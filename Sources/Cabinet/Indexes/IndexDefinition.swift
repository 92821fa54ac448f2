import CabinetBackend
import CabinetTextSearch
import Foundation

/// What the keys of an index are made of, as a text: an index whose keys were made of something else
/// is made anew.
struct IndexDefinition: Hashable {
    /// Says what keys are made of.
    let text: String
    /// The collations of the columns, with name, version and fingerprint.
    let collations: String

    init(_ index: Index, _ sources: [KeySource]) {
        var parts = ["version \(index.version)"]
        if index.isUnique { parts.append("unique") }
        if index.isMultiple { parts.append("elements") }
        if index.subset != nil { parts.append("subset") }
        for source in sources {
            var type = Self.form(of: source.column.valueType)
            // Until NaN was like `nil`, its key had no row.
            if index.isUnique, type == Self.decimal { type += " or NaN" }
            var name = source.name ?? (source.column.keyPath == nil ? "computed" : "property")
            // Another version of a class written by hand may read other values from the same records.
            if let version = source.classVersion { name += " of version \(version)" }
            // So may another layout of a class that upgrades records itself.
            if let form = source.upgradeForm { name += " upgraded to \(form)" }
            parts.append("\(name): \(type)")
        }
        text = parts.joined(separator: ", ")
        collations = sources.compactMap(\.column.collation?.definition).joined(separator: ", ")
    }

    static let decimal = "Decimal"

    /// The form in which keys have values of a type: one for all integers, one for floating-point values,
    /// whether optional or not.
    static func form(of type: Any.Type) -> String {
        if let plain = plainForm(of: type) { return plain }
        if let optional = type as? any OptionalValue.Type { return form(of: optional.wrappedType) }
        if type is any FixedWidthInteger.Type { return "integer" }
        if type is any BinaryFloatingPoint.Type { return "float" }
        if type is StoredObject.Type { return "reference" }
        if let raw = type as? any RawRepresentable.Type { return "\(rawForm(of: raw))" }
        return _typeName(type, qualified: false)
    }

    /// The form of the types that most columns have, as ``form(of:)`` would say it too: what a type
    /// conforms to takes the runtime long to find out, and every opening asks.
    private static func plainForm(of type: Any.Type) -> String? {
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(String.self): "String"
        case ObjectIdentifier(Int.self), ObjectIdentifier(Int64.self), ObjectIdentifier(Int32.self),
            ObjectIdentifier(Int16.self), ObjectIdentifier(Int8.self), ObjectIdentifier(UInt.self),
            ObjectIdentifier(UInt64.self), ObjectIdentifier(UInt32.self),
            ObjectIdentifier(UInt16.self), ObjectIdentifier(UInt8.self):
            "integer"
        case ObjectIdentifier(Double.self), ObjectIdentifier(Float.self): "float"
        case ObjectIdentifier(Bool.self): "Bool"
        case ObjectIdentifier(Date.self): "Date"
        case ObjectIdentifier(UUID.self): "UUID"
        case ObjectIdentifier(String?.self): "String"
        case ObjectIdentifier(Int?.self): "integer"
        case ObjectIdentifier(Double?.self): "float"
        case ObjectIdentifier(Date?.self): "Date"
        default: nil
        }
    }

    private static func rawForm<Value: RawRepresentable>(of type: Value.Type) -> String {
        form(of: Value.RawValue.self)
    }
}

extension Index {
    /// The index's name in a class with the declared fields `fields`; `nil` if it was given none and its
    /// columns have none.
    func name(_ fields: ClassFields) -> String? {
        if let givenName { return givenName }
        if subset != nil { return nil }
        var names: [String] = []
        for column in columns {
            guard let name = column.keyPath.flatMap({ fields.declaredName(of: $0) }) else {
                return nil
            }
            names.append(name)
            if let collation = column.collation { names.append(collation.name) }
        }
        // Of most, one name is all.
        return names.count == 1 ? names[0] : names.joined(separator: ".")
    }
}

extension Collation {
    /// The collation as a definition has it.
    var definition: String { "\(self) \(String(fingerprint, radix: 16))" }
}
