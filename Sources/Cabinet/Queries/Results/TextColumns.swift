import CabinetBackend
import CabinetTextSearch
import Foundation

/// A text of each match, or of some, by the keys that a collation makes.
final class CollatedColumn: SortColumn {
    private let source: (ClassFields) -> (RowCursor) throws -> String?
    private let collation: Collation
    private let sign: Int
    private var read: ((RowCursor) throws -> String?)?
    private var keys: [OrderedKey] = []
    private var builder = OrderedKeyBuilder()

    init<Object: StoredObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ collation: Collation, _ isDescending: Bool
    ) {
        source = { fields in
            let read = ValueSource(keyPath, fields).read
            return { try read($0) as? String }
        }
        self.collation = collation
        sign = isDescending ? -1 : 1
    }

    override func turn(to fields: ClassFields) { read = source(fields) }

    override func append(_ cursor: RowCursor) throws {
        guard let text = try read?(cursor) else { return keys.append(OrderedKey(bytes: [])) }
        builder.removeAll()
        builder.append(text, collation: collation)
        keys.append(builder.key)
    }

    override func removeLast() { keys.removeLast() }
    override func keep(_ indices: [Int]) { keys = indices.map { keys[$0] } }

    override func order(_ one: Int, _ other: Int) -> Int {
        let (one, other) = (keys[one].bytes, keys[other].bytes)
        if one == other { return 0 }
        return one.lexicographicallyPrecedes(other) ? -sign : sign
    }
}

/// Columns that sort as a descriptor of Foundation does, by comparators of texts or of whole objects.
enum DescriptorColumn {
    static func make<Object: StoredObject>(_ descriptor: SortDescriptor<Object>) -> SortColumn {
        let isDescending = descriptor.order == .reverse
        if let keyPath = descriptor.keyPath as? KeyPath<Object, String>,
            var comparator = descriptor.stringComparator
        {
            comparator.order = .forward
            let forward = comparator
            return ComparedColumn<String>(
                { ValueSource(keyPath, $0).read }, isDescending: isDescending,
                compare: { forward.compare($0, $1).rawValue })
        }
        // The descriptor reverses by itself.
        return ComparedColumn<Object>(
            { _ in { unsafeDowncast(try $0.object(), to: Object.self) } }, isDescending: false,
            compare: { descriptor.compare($0, $1).rawValue })
    }
}
