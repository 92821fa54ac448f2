import CabinetBackend
import Synchronization

/// What leads back from objects that are in no store, by the declarations of both classes.
enum PlainInverses {
    /// A relationship of one class, seen from an object of another.
    struct Key: Hashable, Sendable {
        let owner: ObjectIdentifier
        let offset: Int
        let target: ObjectIdentifier

        init(_ owner: StoredObject.Type, _ offset: Int, _ target: StoredObject.Type) {
            (self.owner, self.offset) = (ObjectIdentifier(owner), offset)
            self.target = ObjectIdentifier(target)
        }
    }

    struct Side: Sendable {
        let offset: Int
        let isMany: Bool
    }

    private final class Known: Sendable {
        let sides: [Key: Side?]
        init(_ sides: [Key: Side?]) { self.sides = sides }
    }

    /// All that was ever known, so it is read without a lock: as many as pairs of related classes.
    private static let all = Guarded<[Known]>([])
    /// The address of the last of them, held by ``all``; 0 for none.
    private static let latest = Atomic<UInt>(0)
    /// Whether the task is finding out about a class, of which it makes objects.
    @TaskLocal private static var isSearching = false

    /// What leads back from `target` in the relationship at `offset` of `owner`; `nil`: nothing.
    static func side(
        of owner: StoredObject.Type, _ offset: Int, from target: StoredObject.Type
    ) -> Side? {
        // It declares nothing, and stands in a key for what the relationship declares.
        if target == StoredObject.self { return nil }
        let key = Key(owner, offset, target)
        return known(key) ?? lookUp(key) { find(owner, offset, target) }
    }

    /// Whether objects may lead back from the list at `offset` of `owner`: those of its class do,
    /// or it takes any.
    static func followsList(of owner: StoredObject.Type, _ offset: Int) -> Bool {
        let key = Key(owner, offset, StoredObject.self)
        let side =
            known(key)
            ?? lookUp(key) {
                guard
                    let relation = table(of: owner)?.relations.first(where: { $0.offset == offset })
                else { return nil }
                let isAny = relation.targetType == StoredObject.self
                return isAny
                    ? Side(offset: 0, isMany: true) : find(owner, offset, relation.targetType)
            }
        return side != nil
    }

    @inline(__always)
    private static func known(_ key: Key) -> Side?? {
        let address = latest.load(ordering: .acquiring)
        guard let known = UnsafeRawPointer(bitPattern: address) else { return nil }
        return Unmanaged<Known>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.sides[key] }
    }

    private static func lookUp(_ key: Key, _ find: () -> Side?) -> Side? {
        if isSearching { return nil }
        let found = $isSearching.withValue(true, operation: find)
        all.withLock { all in
            var sides = all.last?.sides ?? [:]
            sides[key] = .some(found)
            let known = Known(sides)
            all.append(known)
            let address = UInt(bitPattern: Unmanaged.passUnretained(known).toOpaque())
            latest.store(address, ordering: .releasing)
        }
        return found
    }

    /// `nil` for a class that cannot be stored: opening a store with it says why.
    private static func table(of type: StoredObject.Type) -> FieldTable? {
        do { return try FieldTable(type) } catch { return nil }
    }

    private static func find(
        _ owner: StoredObject.Type, _ offset: Int, _ target: StoredObject.Type
    ) -> Side? {
        guard let fields = table(of: owner), let others = table(of: target),
            let relation = fields.relations.first(where: { $0.offset == offset }),
            let other = inverse(of: relation, fields, owner, in: others, target),
            let back = inverse(of: other, others, target, in: fields, owner), back === relation
        else { return nil }
        return Side(offset: other.offset, isMany: other.isMany)
    }

    private static func inverse(
        of relation: RelationCoder, _ fields: FieldTable, _ owner: StoredObject.Type,
        in others: FieldTable, _ target: StoredObject.Type
    ) -> RelationCoder? {
        let found: RelationCoder?
        if let keyPath = relation.inverseKeyPath {
            found = others.relation(at: keyPath, of: target)
        } else {
            found = others.relations.first { other in
                guard let keyPath = other.inverseKeyPath else { return false }
                return fields.relation(at: keyPath, of: owner) === relation
            }
        }
        return found?.admits(owner) == true ? found : nil
    }
}

extension FieldTable {
    /// The relationship that `keyPath` leads to, found by putting a mark into each of them.
    func relation(at keyPath: AnyKeyPath, of type: StoredObject.Type) -> RelationCoder? {
        let object = type.init()
        var marks: [ObjectIdentifier: RelationCoder] = [:]
        for relation in relations {
            let mark = relation.targetType.init()
            marks[ObjectIdentifier(mark)] = relation
            relation.set([mark], at: object.address(of: relation))
        }
        guard let value = (object as Any)[keyPath: keyPath] else { return nil }
        let found = (value as? [StoredObject])?.first ?? value as? StoredObject
        return found.flatMap { marks[ObjectIdentifier($0)] }
    }
}
