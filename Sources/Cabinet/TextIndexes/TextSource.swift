import CabinetBackend
import CabinetTextSearch

/// Where the texts of one index come from: from records, if it is of a declared field, otherwise from
/// objects.
final class TextSource {
    let index: TextIndex
    /// The declared field; `nil` for anything else.
    let field: ClassFields.Field?
    /// The name of the declared field.
    let fieldName: String?
    /// What the text is of, as the index's definition says it.
    let origin: TextDefinition.Origin
    private let terms: TextTerms
    /// Where the declared field is: its place among the fields, and in an object.
    private let place: (index: Int, offset: Int)
    /// Whether the declared field may have no text.
    private let isOptional: Bool

    convenience init(_ index: TextIndex, _ fields: ClassFields) {
        let origin: TextDefinition.Origin
        if let defined = index.keyPath.flatMap({ fields.definedName(of: $0) }) {
            origin = .field(defined, upgradedTo: fields.upgradeForm)
        } else if index.keyPath != nil, !fields.storedClass.isDeclared {
            origin = .property(version: fields.storedClass.version)
        } else {
            origin = .computed
        }
        self.init(
            index, index.keyPath.flatMap { fields.field(at: $0) },
            named: index.keyPath.flatMap { fields.declaredName(of: $0) }, origin)
    }

    /// - Parameters:
    ///   - field: the declared field, of whatever type.
    ///   - fieldName: its name, also where its values need the object.
    init(
        _ index: TextIndex, _ field: ClassFields.Field?, named fieldName: String?,
        _ origin: TextDefinition.Origin
    ) {
        self.index = index
        self.fieldName = fieldName
        self.origin = origin
        terms = TextTerms(index.tokenizer)
        self.field = field.flatMap { $0.isOfText ? $0 : nil }
        place = self.field.map { ($0.index, $0.offset) } ?? (-1, 0)
        isOptional = self.field.map { $0.form.valueType != String.self } ?? false
    }

    /// The property; `nil` for what a closure makes.
    var keyPath: AnyKeyPath? { index.keyPath }

    /// Whether `property` is the declared field of the index: key paths of a class and of its subclass to
    /// one property are not equal.
    func stands(for property: AnyKeyPath, _ fields: ClassFields) -> Bool {
        guard let fieldName else { return false }
        return fields.declaredName(of: property) == fieldName
    }

    /// Calls `body` with the UTF-8 of the text of the object that a cursor stands at; `nil` for none.
    func withText<Result>(
        of cursor: RowCursor, _ body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) throws -> Result {
        guard place.index >= 0 else {
            guard var text = index.text(try cursor.object()) else { return try body(nil) }
            return try text.withUTF8(body)
        }
        return try cursor.read(place.index, offset: place.offset, size: isOptional ? 1 : 4) {
            place in
            if isOptional {
                guard var text = place.assumingMemoryBound(to: String?.self).pointee else {
                    return try body(nil)
                }
                return try text.withUTF8(body)
            }
            var text = place.assumingMemoryBound(to: String.self).pointee
            return try text.withUTF8(body)
        } inRecord: { start, count in
            if isOptional, start.load(as: UInt8.self) == 0 { return try body(nil) }
            let bytes =
                isOptional
                ? RecordText.bytes(at: start + 1, count - 1) : RecordText.bytes(at: start, count)
            guard let bytes else { return try body(nil) }
            return try bytes.withMemoryRebound(to: UInt8.self, body)
        }
    }

    /// As ``TextTerms/forEachTerm(in:_:)``.
    @inline(__always)
    func forEachTerm(
        in text: UnsafeBufferPointer<UInt8>, _ body: (Token) throws -> Void
    ) throws -> Int { try terms.forEachTerm(in: text, body) }

    /// The length of the text of the object that a cursor stands at; `nil` for no text.
    func length(of cursor: RowCursor) throws -> Int? {
        try withText(of: cursor) { text in
            try text.map { try forEachTerm(in: $0) { _ in } }
        }
    }
}

extension ClassFields.Field {
    /// Whether its values are texts, or texts and none.
    var isOfText: Bool { form.valueType == String.self || form.valueType == String?.self }
}
