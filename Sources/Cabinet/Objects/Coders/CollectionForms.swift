import CabinetBackend

// Collections, as the buffer writes collections of raw values, of values that are no `BufferValue`s
// but enums with a raw value, or collections of such.

final class ArrayForm<Element>: ValueForm<[Element]> {
    private let base: ValueForm<Element>

    init(_ base: ValueForm<Element>) {
        self.base = base
        super.init(.array(base.type))
    }

    override func write(_ value: [Element], to buffer: DataBuffer) {
        guard buffer.writeCount(value.count) else { return }
        for element in value { base.write(element, to: buffer) }
    }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try buffer.readCount(elementSize: 1)) {
            elements.append(try base.read(from: buffer))
        }
        return elements
    }
}

final class SetForm<Element: Hashable>: ValueForm<Set<Element>> {
    private let base: ValueForm<Element>

    init(_ base: ValueForm<Element>) {
        self.base = base
        super.init(.set(base.type))
    }

    override func write(_ value: Set<Element>, to buffer: DataBuffer) {
        guard buffer.writeCount(value.count) else { return }
        for element in value { base.write(element, to: buffer) }
    }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> Set<Element> {
        var elements: Set<Element> = []
        for _ in 0..<(try buffer.readCount(elementSize: 1)) {
            elements.insert(try base.read(from: buffer))
        }
        return elements
    }
}

final class DictionaryForm<Key: Hashable, Element>: ValueForm<[Key: Element]> {
    private let keys: ValueForm<Key>
    private let elements: ValueForm<Element>

    init(_ keys: ValueForm<Key>, _ elements: ValueForm<Element>) {
        self.keys = keys
        self.elements = elements
        super.init(.dictionary(keys.type, elements.type))
    }

    override func write(_ value: [Key: Element], to buffer: DataBuffer) {
        guard buffer.writeCount(value.count) else { return }
        for (key, element) in value {
            keys.write(key, to: buffer)
            elements.write(element, to: buffer)
        }
    }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> [Key: Element] {
        var entries: [Key: Element] = [:]
        for _ in 0..<(try buffer.readCount(elementSize: 2)) {
            let key = try keys.read(from: buffer)
            entries[key] = try elements.read(from: buffer)
        }
        return entries
    }
}

// MARK: - Choosing

/// A collection whose form follows from those of its parts.
protocol CollectionType {
    /// The form, if all of its parts are values that a buffer knows, under their raw values.
    static func collectionForm() -> AnyObject?
}

extension Array: CollectionType {
    static func collectionForm() -> AnyObject? {
        knownForm(of: Element.self).map { ArrayForm<Element>($0) }
    }
}

extension Set: CollectionType {
    static func collectionForm() -> AnyObject? {
        knownForm(of: Element.self).map { SetForm<Element>($0) }
    }
}

extension Dictionary: CollectionType {
    static func collectionForm() -> AnyObject? {
        guard let keys = knownForm(of: Key.self), let values = knownForm(of: Value.self) else {
            return nil
        }
        return DictionaryForm<Key, Value>(keys, values)
    }
}

private func knownForm<Value>(of type: Value.Type) -> ValueForm<Value>? {
    form(of: type).flatMap { $0.type.isKnown ? $0 : nil }
}

extension FieldType {
    /// Whether a buffer has calls for the values, or for all of their parts.
    fileprivate var isKnown: Bool {
        switch self {
        case .scalar: true
        case .optional(let type), .array(let type), .set(let type): type.isKnown
        case .dictionary(let key, let value): key.isKnown && value.isKnown
        case .compact, .custom, .one, .many: false
        }
    }
}
