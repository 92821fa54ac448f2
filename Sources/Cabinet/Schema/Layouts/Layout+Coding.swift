import CabinetBackend

// The bytes of the catalog's entries. Each begins with the number of its form; another form is that
// of a newer program.

extension Layout {
    private static let form: UInt8 = 2

    private enum Content {
        static let byHand: UInt8 = 0
        static let fields: UInt8 = 1
    }

    /// Appends the entry of the layout. Its number is in the entry's name.
    func write(to buffer: DataBuffer) {
        buffer.writeUInt8(Self.form)
        buffer.writeUInt8(version)
        guard let fields else { return buffer.writeUInt8(Content.byHand) }
        buffer.writeUInt8(Content.fields)
        buffer.writeUInt32(UInt32(fields.count))
        for field in fields { field.write(to: buffer) }
    }

    /// - Parameter unknown: name and type of a field of an unknown type, if this throws for it.
    /// - Throws: a ``DataBufferError`` for bytes that are no entry of a layout.
    init(
        number: UInt16, _ bytes: [UInt8], unknown: inout (field: String, type: String)?
    ) throws(DataBufferError) {
        self = try Self.reading(bytes, Self.form) { buffer throws(DataBufferError) in
            let version = try buffer.readUInt8()
            switch try buffer.readUInt8() {
            case Content.byHand: return Layout(number: number, version: version, fields: nil)
            case Content.fields: break
            default: throw .invalidValue(type: "Layout", offset: buffer.position - 1)
            }
            let count = try buffer.readCount(elementSize: Field.leastSize)
            var fields: [Field] = []
            fields.reserveCapacity(count)
            for _ in 0..<count {
                fields.append(try Field(buffer, unknown: &unknown))
            }
            let identities = fields.flatMap(\.identities).inOrder()
            guard zip(identities, identities.dropFirst()).allSatisfy({ $0 < $1 }) else {
                throw .invalidValue(type: "identities of fields", offset: buffer.position)
            }
            return Layout(number: number, version: version, fields: fields)
        }
    }

    /// Reads an entry of that form to its end.
    fileprivate static func reading<Result>(
        _ bytes: [UInt8], _ form: UInt8,
        _ body: (DataBuffer) throws(DataBufferError) -> Result
    ) throws(DataBufferError) -> Result {
        try bytes.withUnsafeBufferPointer { bytes throws(DataBufferError) in
            let buffer = DataBuffer(capacity: 16)
            buffer.borrow(UnsafeRawBufferPointer(bytes))
            guard try buffer.readUInt8() == form else {
                throw .invalidValue(type: "entry of a known form", offset: 0)
            }
            let result = try body(buffer)
            guard buffer.remaining == 0 else {
                throw .invalidValue(type: "end of the entry", offset: buffer.position)
            }
            return result
        }
    }
}

extension Layout.Field {
    /// Two texts, what is known of a relationship, one identity, and the number of former names.
    fileprivate static let leastSize = 21

    private enum Known {
        static let classNumber: UInt8 = 1
        static let inverses: UInt8 = 2
    }

    fileprivate func write(to buffer: DataBuffer) {
        buffer.writeString(name)
        buffer.writeString("\(type)")
        buffer.writeUInt8(
            (`class` == nil ? 0 : Known.classNumber) | (inverses == nil ? 0 : Known.inverses))
        if let number = `class` { buffer.writeUInt8(number) }
        if let inverses {
            buffer.writeUInt32(UInt32(inverses.count))
            for inverse in inverses {
                buffer.writeUInt8(inverse.class)
                buffer.writeString(inverse.name)
                buffer.writeUInt32(UInt32(clamping: inverse.interruption ?? 0))
            }
        }
        buffer.writeUInt32(UInt32(identities.count))
        for identity in identities { buffer.writeUInt32(identity) }
        buffer.writeUInt32(UInt32(formerNames.count))
        for name in formerNames { buffer.writeString(name) }
    }

    private static func readInverses(
        _ buffer: DataBuffer
    ) throws(DataBufferError) -> [Layout.Inverse] {
        var inverses: [Layout.Inverse] = []
        for _ in 0..<(try buffer.readCount(elementSize: 9)) {
            let number = try buffer.readUInt8()
            let name = try buffer.readString()
            let interruption = Int(try buffer.readUInt32())
            inverses.append(
                Layout.Inverse(
                    class: number, name: name, interruption: interruption == 0 ? nil : interruption)
            )
        }
        return inverses
    }

    fileprivate init(
        _ buffer: DataBuffer, unknown: inout (field: String, type: String)?
    ) throws(DataBufferError) {
        name = try buffer.readString()
        let start = buffer.position
        let text = try buffer.readString()
        guard let type = FieldType(text: text) else {
            unknown = (name, text)
            throw .invalidValue(type: "FieldType", offset: start)
        }
        self.type = type
        let known = try buffer.readUInt8()
        guard known & ~(Known.classNumber | Known.inverses) == 0 else {
            throw .invalidValue(type: "Layout.Field", offset: buffer.position - 1)
        }
        `class` = known & Known.classNumber == 0 ? nil : try buffer.readUInt8()
        inverses = known & Known.inverses == 0 ? nil : try Self.readInverses(buffer)
        let count = try buffer.readCount(elementSize: 4)
        // Whatever has none could be any field.
        guard count > 0 else {
            throw .invalidValue(type: "identity of a field", offset: buffer.position - 4)
        }
        for _ in 0..<count { identities.append(try buffer.readUInt32()) }
        for _ in 0..<(try buffer.readCount(elementSize: 4)) {
            formerNames.append(try buffer.readString())
        }
    }
}

extension SavedLayouts {
    private static let form: UInt8 = 1

    private enum Fact {
        static let rule: UInt8 = 1
        static let unique: UInt8 = 2
        static let inverse: UInt8 = 4
        static let wasLoose: UInt8 = 8
        static let all: UInt8 = 15
    }

    /// Appends the entry of what is kept beside the layouts. The writing's number is in its name.
    func writeRelations(to buffer: DataBuffer) {
        buffer.writeUInt8(Self.form)
        buffer.writeUInt16(highest)
        let relations = list.relations ?? []
        buffer.writeUInt32(UInt32(relations.count))
        for relation in relations {
            buffer.writeString(relation.name)
            var facts: UInt8 = 0
            if relation.rule != nil { facts |= Fact.rule }
            if relation.unique == true { facts |= Fact.unique }
            if relation.inverse != nil { facts |= Fact.inverse }
            if relation.wasLoose == true { facts |= Fact.wasLoose }
            buffer.writeUInt8(facts)
            if let rule = relation.rule { buffer.writeString(rule) }
            if let inverse = relation.inverse { buffer.writeString(inverse) }
        }
        let interruptions = (list.interruptions ?? [:]).inOrder { $0.key < $1.key }
        buffer.writeUInt32(UInt32(interruptions.count))
        for (pair, count) in interruptions {
            buffer.writeString(pair)
            buffer.writeUInt32(UInt32(clamping: count))
        }
    }

    /// - Throws: a ``DataBufferError`` for bytes that are no such entry.
    mutating func readRelations(_ bytes: [UInt8]) throws(DataBufferError) {
        let known = self
        self = try Layout.reading(bytes, Self.form) { buffer throws(DataBufferError) in
            var found = known
            found.highest = max(try buffer.readUInt16(), known.highest)
            let relations = try Self.readFacts(buffer)
            found.list.relations = relations.isEmpty ? nil : relations
            var interruptions: [String: Int] = [:]
            for _ in 0..<(try buffer.readCount(elementSize: 8)) {
                let pair = try buffer.readString()
                interruptions[pair] = Int(try buffer.readUInt32())
            }
            found.list.interruptions = interruptions.isEmpty ? nil : interruptions
            return found
        }
    }

    private static func readFacts(_ buffer: DataBuffer) throws(DataBufferError) -> [RelationFacts] {
        var relations: [RelationFacts] = []
        for _ in 0..<(try buffer.readCount(elementSize: 5)) {
            let name = try buffer.readString()
            let facts = try buffer.readUInt8()
            guard facts & ~Fact.all == 0 else {
                throw .invalidValue(type: "RelationFacts", offset: buffer.position - 1)
            }
            relations.append(
                RelationFacts(
                    name: name, rule: facts & Fact.rule == 0 ? nil : try buffer.readString(),
                    unique: facts & Fact.unique == 0 ? nil : true,
                    inverse: facts & Fact.inverse == 0 ? nil : try buffer.readString(),
                    wasLoose: facts & Fact.wasLoose == 0 ? nil : true))
        }
        return relations
    }
}
