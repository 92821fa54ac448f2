/// A stored property that is a field wrapper: `@Field`, `@One` or `@Many`.
struct DeclaredProperty {
    let name: String
    /// The wrapper with its value's type.
    let wrapper: Any.Type
    let offset: Int

    /// Those of `type` and its superclasses, the most derived first; `nil` for an unknown class.
    static func levels(of type: StoredObject.Type) -> [[DeclaredProperty]?] {
        var levels: [[DeclaredProperty]?] = []
        var level: AnyClass = type
        while level != StoredObject.self {
            levels.append(own(of: level))
            guard let next = _getSuperclass(level) else { break }
            level = next
        }
        return levels
    }

    private static func own(of type: AnyClass) -> [DeclaredProperty]? {
        guard let known = FieldOffsets.of(type), let properties = known.properties else {
            return nil
        }
        var found: [DeclaredProperty] = []
        var end = MemoryLayout<Int>.size * 2
        for property in properties {
            guard let wrapper = known.wrapper(of: property) else { continue }
            let (size, alignment) = layout(of: wrapper)
            let offset = property.offset
            guard offset >= end, offset % alignment == 0, offset + size <= known.instanceSize
            else { return nil }
            end = offset + size
            let name = property.name
            found.append(
                DeclaredProperty(
                    name: name.hasPrefix("_") ? String(name.dropFirst()) : name, wrapper: wrapper,
                    offset: offset))
        }
        return found
    }

    private static func layout<Value>(of type: Value.Type) -> (size: Int, alignment: Int) {
        (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
    }
}
