/// The keys of groups, in the order in which they were met.
///
/// Closures, so that for keys of the common types they are code that knows the type.
struct GroupKeys<Key: Hashable> {
    /// What finds the group of the object that a cursor stands at, for objects of a class; a new
    /// group has the next number.
    let finder: (ClassFields) -> (RowCursor) throws -> Int
    /// The key of each group.
    let keys: () -> [Key]

    init<Object: StoredObject>(_ keyPath: KeyPath<Object, Key>) {
        if Key.self == String.self, let path = keyPath as? KeyPath<Object, String>,
            let known = GroupKeys<String>(known: path) as? GroupKeys<Key>
        {
            self = known
        } else if let known = withFixedType(Key.self, KeyMaking<Object>(keyPath: keyPath)).flatMap({
            $0 as? GroupKeys<Key>
        }) {
            self = known
        } else {
            self.init(known: keyPath)
        }
    }

    @inline(__always)
    fileprivate init<Object: StoredObject>(known keyPath: KeyPath<Object, Key>) {
        let found = Found<Key>()
        finder = { fields in
            let read = ValueSource(keyPath, fields).read
            return { found.group(of: try read($0)) }
        }
        keys = { found.keys }
    }
}

private struct KeyMaking<Object: StoredObject>: FixedValueBody {
    let keyPath: AnyKeyPath

    func run<Value: FixedValue>(_ type: Value.Type) -> Any? {
        (keyPath as? KeyPath<Object, Value>).map { GroupKeys<Value>(known: $0) }
    }
}

private final class Found<Key: Hashable> {
    var keys: [Key] = []
    private var groups: [Key: Int] = [:]

    @inline(__always)
    func group(of key: Key) -> Int {
        if let known = groups[key] { return known }
        groups[key] = keys.count
        keys.append(key)
        return keys.count - 1
    }
}
