extension FieldsRead {
    /// What an order and other columns read of objects of a class; `nil` if they may read more than
    /// declared fields.
    init?<Object: StoredObject>(
        _ order: [ObjectOrder<Object>], _ columns: [MatchColumn], _ fields: ClassFields
    ) {
        for part in order {
            guard let field = part.fieldOrder(fields) else { return nil }
            if field.collation.mayDivideEqualTexts {
                exactly.insert(field.field)
            } else {
                equally.insert(field.field)
            }
        }
        for column in columns {
            guard let read = column.fieldsRead(fields) else { return nil }
            formUnion(read)
        }
    }
}
