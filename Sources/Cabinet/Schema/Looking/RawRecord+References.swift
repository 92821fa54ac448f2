import CabinetBackend

extension RawRecord {
    /// What the relationship that was called `name` refers to, in its order; `nil` if the record
    /// has no such field. No object is made, so the classes need not be registered, and rows whose
    /// record is gone are included.
    ///
    /// - Throws: ``StoreError/fieldChanged(class:row:field:from:to:)`` for a field that is no
    ///   relationship, or a ``DataBufferError``.
    public func references(_ name: String) throws -> [FieldValue.Reference]? {
        let target = target(of: name)
        return try read(name) { found in
            switch found {
            case .one: try readReferences(isToMany: false, target)
            case .many: try readReferences(isToMany: true, target)
            default: throw mismatch(name, found, "relationship")
            }
        }
    }

    /// Reads what `DataBuffer.writeRelated` wrote.
    private func readReferences(
        isToMany: Bool, _ target: UInt8?
    ) throws(DataBufferError) -> [FieldValue.Reference] {
        let start = buffer.position
        let tag = try buffer.readUInt8()
        guard tag <= 1 else { throw .invalidValue(type: "relationship", offset: start) }
        let isExact = tag == 0
        let count = isToMany ? try buffer.readCount(elementSize: isExact ? 4 : 5) : 1
        let context = buffer.context.map { unsafeDowncast($0, to: ObjectContext.self) }
        var references: [FieldValue.Reference] = []
        for _ in 0..<count {
            let number = isExact ? target : try buffer.readUInt8()
            let row = RowID(try buffer.readUInt32())
            if row == .none { continue }
            let name = number.flatMap { number in
                context?.classesByNumber[Int(number)]?.name ?? context?.unregisteredNames[number]
            }
            references.append(.init(className: name, classNumber: number, row: row))
        }
        return references
    }
}
