import CabinetBackend
import CabinetTextSearch

/// A property that objects are sorted by, as page tokens keep it.
struct PagedProperty {
    /// Its value of one object, read from a token.
    struct Value {
        let value: Any
        /// Below 0 if the object that a cursor stands at comes before that one by the property, 0 if
        /// they are equal by it.
        let order: (RowCursor) throws -> Int
    }

    /// Appends the value of the object that a cursor stands at.
    let write: (RowCursor, DataBuffer) throws -> Void
    /// Reads a value that ``write`` has written.
    let read: (DataBuffer) throws(DataBufferError) -> Value

    /// - Parameters:
    ///   - keyPath: the property.
    ///   - fields: those of the class whose objects are asked.
    ///   - compare: below 0 if the first value comes first in the order of the query.
    /// - Returns: `nil` for a property of a type that records cannot have.
    init?<Object: StoredObject, Property>(
        _ keyPath: KeyPath<Object, Property>, _ fields: ClassFields,
        _ compare: @escaping (Property, Property) -> Int
    ) {
        guard let form = form(of: Property.self) else { return nil }
        let source = ValueSource(keyPath, fields).read
        write = { form.write(try source($0), to: $1) }
        read = { buffer throws(DataBufferError) in
            let value = try form.read(from: buffer)
            return Value(value: value) { compare(try source($0), value) }
        }
    }
}

extension Collation {
    /// How two texts compare, as ``ObjectOrder`` sorts them.
    func order(_ one: String?, _ other: String?) -> Int {
        guard let one, let other else { return (one == nil ? 0 : 1) - (other == nil ? 0 : 1) }
        var builder = OrderedKeyBuilder()
        builder.append(one, collation: self)
        let first = builder.key
        builder.removeAll()
        builder.append(other, collation: self)
        let second = builder.key
        return first < second ? -1 : first == second ? 0 : 1
    }
}
