import CabinetBackend

extension StoredObject: Encodable {
    /// The deepest nesting of objects in one encoding.
    private static let depthLimit = 64

    /// What ``encode(to:)`` does for a class that does not override it. How deep the object stands,
    /// and in which others, the keys on the encoder's path say, so an override of ``encode(to:)``
    /// on the way changes nothing of it.
    final func encodeFields(to encoder: any Encoder) throws {
        willRead()
        if state.contains(.unreadable), let error = storedClass?.fetchErrors[rowID] { throw error }
        let fields = try storedClass?.fields ?? FieldTable(type(of: self))
        storedClass?.context.reconcile()
        var container = encoder.container(keyedBy: FieldKey.self)
        if let id = objectID, !fields.entries.contains(where: { $0.name == "objectID" }) {
            try container.encode(id, forKey: FieldKey("objectID"))
        }
        let outer = encoder.codingPath.compactMap { ($0 as? FieldKey)?.owner }
        let wanted = encoder.userInfo[.relationshipDepth] as? Int ?? 0
        let isNesting = outer.count < min(wanted, Self.depthLimit)
        for entry in fields.entries {
            if let relation = entry.coder as? RelationCoder {
                let key = FieldKey(entry.name, owner: isNesting ? self : nil)
                try encode(relation, key, to: &container, isNesting ? outer : nil)
            } else {
                try encode(entry, to: &container)
            }
        }
    }

    private final func encode(
        _ entry: FieldTable.Entry, to container: inout KeyedEncodingContainer<FieldKey>
    ) throws {
        let key = FieldKey(entry.name)
        let buffer = DataBuffer()
        let address = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) + entry.offset
        entry.coder.write(at: address, to: buffer)
        withExtendedLifetime(self) {}
        if let error = buffer.writeError { throw error }
        var type = entry.coder.type
        if case .optional(let wrapped) = type {
            // What is left out need not be read.
            guard try buffer.readBool() else { return }
            type = wrapped
        }
        guard type.isOwnForm else {
            return try container.encode(StoredValue(type: type, buffer: buffer), forKey: key)
        }
        let start = buffer.position
        buffer.rewind()
        if let value = try entry.coder.values?.readAny(from: buffer) as? any Encodable {
            return try container.encode(value, forKey: key)
        }
        buffer.move(to: start)
        try container.encode(StoredValue(type: type, buffer: buffer), forKey: key)
    }

    /// Writes what stands in `relation`: nested objects, none of `outer`, or else IDs.
    private final func encode(
        _ relation: RelationCoder, _ key: FieldKey,
        to container: inout KeyedEncodingContainer<FieldKey>, _ outer: [ObjectIdentifier]?
    ) throws {
        let others = objects(in: relation).filter { !$0.isDeleted }
        let references = others.map { other in
            EncodedReference(other, isNested: isNested(other, outer))
        }
        if relation.isMany {
            try container.encode(references, forKey: key)
        } else if let reference = references.first {
            try container.encode(reference, forKey: key)
        }
    }

    private final func isNested(_ other: StoredObject, _ outer: [ObjectIdentifier]?) -> Bool {
        guard let outer else { return false }
        return other !== self && !outer.contains(ObjectIdentifier(other))
    }
}

/// An object where another one refers to it.
private struct EncodedReference: Encodable {
    let object: StoredObject
    let isNested: Bool

    init(_ object: StoredObject, isNested: Bool) {
        self.object = object
        self.isNested = isNested
    }

    func encode(to encoder: any Encoder) throws {
        if isNested { return try object.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        if let id = object.objectID { try container.encode(id) } else { try container.encodeNil() }
    }
}

extension FieldType {
    /// Whether only a type of the program can read the values.
    var isOwnForm: Bool {
        switch self {
        case .compact, .custom: true
        case .scalar, .optional, .array, .set, .dictionary, .one, .many: false
        }
    }
}
