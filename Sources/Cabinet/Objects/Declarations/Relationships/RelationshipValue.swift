/// What a property of a relationship holds: an array or an ``ObjectList`` of objects, or one object or none.
public protocol RelationshipValue<Target> {
    /// The class of the objects.
    associatedtype Target: StoredObject

    /// The objects that the relationship leads to, in its order.
    var relatedObjects: [Target] { get }
}

extension Array: RelationshipValue where Element: StoredObject {
    public var relatedObjects: [Element] { self }
}

extension ObjectList: RelationshipValue {
    public var relatedObjects: [Element] { Array(self) }
}

extension Optional: RelationshipValue where Wrapped: StoredObject {
    public var relatedObjects: [Wrapped] { map { [$0] } ?? [] }
}
