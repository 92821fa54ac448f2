import CabinetBackend

/// The classes of a store as its catalog describes them, for queries without a program's.
///
/// Its records are never read into objects: all that is asked of them is asked of their bytes, so
/// `cabinet-inspect` runs the planner and the searcher of programs.
struct DescribedClasses: ClassSource {
    let schema: StoreSchema
    /// Called once for each record that was met and cannot be read.
    let unreadable: UnreadableRecord

    func register(in context: ObjectContext, over backend: any Backend) throws {
        for described in schema.classes {
            let fields = described.describedFields
            let storedClass = StoredClass(
                DescribedObject.self, name: described.name, number: described.number,
                table: described.table,
                definition: TableDefinition(
                    number: described.table, kind: .record, name: described.name,
                    classNumber: described.number, classVersion: described.version),
                fields: FieldTable(fields.map(\.entry), writesContent: described.isDeclared),
                context: context)
            storedClass.layouts = DescribedLayouts(described, fields, in: schema, unreadable)
            context.classesByNumber[Int(described.number)] = storedClass
            context.classes.append(storedClass)
        }
        for storedClass in context.classes {
            for (entry, field) in zip(
                storedClass.fields.entries, schema[storedClass.number]?.fields ?? [])
            {
                guard let relation = entry.coder as? RelationCoder else { continue }
                relation.resolve(in: context, of: storedClass)
                relation.target = field.relationship?.targetNumber.flatMap {
                    context.classesByNumber[Int($0)]
                }
            }
        }
    }
}

/// A record that cannot be read: its class, its row, and why; `nil` if only the class can read it, as it was
/// written by hand.
package typealias UnreadableRecord = (StoreSchema.Class, RowID, StoreError?) -> Void

/// What stands for the objects of a class that a catalog describes. None is ever made.
final class DescribedObject: StoredObject {}

struct DescribedField {
    let name: String
    /// A type that holds what records of any layout have of it: no value where a layout lacks the
    /// field, as only the class knows the field's first value.
    let type: FieldType
    /// The number of the class that a relationship to one leads to, unless a record says another.
    let target: UInt8?
    let relationship: StoreSchema.Relationship?

    var entry: FieldTable.Entry {
        FieldTable.Entry(name: name, formerNames: [], coder: coder, offset: 0)
    }

    private var coder: FieldCoder {
        switch type {
        case .one(let target):
            // An inverse takes deleted targets out as that rule does.
            let rule = relationship?.inverse == nil ? relationship?.deleteRule : .nullify
            return OneCoder(
                DescribedObject.self, named: target,
                FieldDeclaration(wrapper: One<DescribedObject>.self, formerNames: [], rule: rule)
            ) { _ in true }
        case .scalar(let scalar): return Self.coder(scalar.valueType, isOptional: false)
        case .optional(.scalar(let scalar)):
            return Self.coder(scalar.valueType, isOptional: true)
        default: return FieldCoder(type)
        }
    }

    private static func coder<Value: BufferValue>(
        _ type: Value.Type, isOptional: Bool
    ) -> FieldCoder {
        let coder = isOptional ? ValueForm<Value?>.coder() : ValueForm<Value>.coder()
        guard let coder else { preconditionFailure("A scalar type has no form.") }
        return coder
    }
}

extension StoreSchema.Class {
    /// The fields of the layout that was made last, as all records of the class can have them.
    var describedFields: [DescribedField] {
        fields.map { field in
            let isInAll = layouts.allSatisfy { layout in
                layout.fields?.contains { $0.name == field.name && $0.form.widens(to: field.form) }
                    ?? true
            }
            var type = field.form
            switch type {
            case .optional, .one, .many: break
            default: if !isInAll { type = .optional(type) }
            }
            return DescribedField(
                name: field.name, type: type, target: field.relationship?.targetNumber,
                relationship: field.relationship)
        }
    }
}
