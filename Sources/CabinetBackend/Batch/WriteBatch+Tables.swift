// Defining and dropping tables.
extension WriteBatch {
    /// Adds a table, or changes what may change of one. Must come before its first use.
    public func define(_ definition: TableDefinition) throws(BackendError) {
        allDefinitions.append(definition)
        var name = definition.name
        arena.writeUInt8(Operation.Kind.define)
        arena.writeUInt16(definition.number.rawValue)
        arena.writeUInt8(definition.kind.rawValue)
        arena.writeUInt8(definition.classNumber)
        arena.writeUInt8(definition.classVersion)
        arena.writeUInt8(definition.flags.rawValue)
        name.withUTF8 { utf8 in
            arena.writeUInt16(UInt16(truncatingIfNeeded: utf8.count))
            arena.writeRawBytes(UnsafeRawBufferPointer(utf8))
        }
        operationCount += 1
        try handOverIfFull()
    }

    /// Removes a table with all it holds. Its number is not used again, but see ``Backend/claim(_:)``.
    public func drop(_ table: TableNumber) throws(BackendError) {
        allDrops.append(table)
        arena.writeUInt8(Operation.Kind.drop)
        arena.writeUInt16(table.rawValue)
        operationCount += 1
        try handOverIfFull()
    }
}
