/// What an import does with content that the store cannot take: classes that are not registered,
/// fields that a class does not declare, and references to objects that the document does not hold.
///
/// `Sendable`: a value.
public enum ImportPolicy: Hashable, Sendable {
    /// The import throws, and nothing is imported.
    case refuse
    /// It is left out, and the report counts it.
    case skip
}

/// What an import has made. `Sendable`: a value.
public struct ImportReport: Hashable, Sendable {
    /// How many objects were inserted.
    public internal(set) var objects = 0
    /// How many objects of classes that are not registered were left out, by class.
    public internal(set) var skippedObjects: [String: Int] = [:]
    /// How many values of fields that the class does not declare were left out, by class and field,
    /// as in `Song.rating`.
    public internal(set) var skippedFields: [String: Int] = [:]
    /// How many references to objects that the document does not hold were left out.
    public internal(set) var skippedReferences = 0
}
