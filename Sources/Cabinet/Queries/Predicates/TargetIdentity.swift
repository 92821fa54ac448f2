import CabinetBackend

/// By what a predicate says which object a relationship leads to.
enum TargetIdentity {
    /// The object itself, its `rowID`, its `id`, or its `objectID`.
    case object, row, id, objectID

    /// The targets that a value stands for, `nil` for no target; none at all if it stands for objects that
    /// cannot stand in the relationship. `nil` if the value does not say.
    ///
    /// - Parameters:
    ///   - value: an optional one.
    ///   - field: the relationship.
    ///   - context: the store.
    func targets(
        _ value: Any, of field: ClassFields.Field, in context: ObjectContext
    ) -> [TargetRow?]? {
        guard let form = field.targets, let optional = value as? any OptionalValue else {
            return nil
        }
        guard let value = Self.plain(optional) else {
            // An object has no `objectID` before its first save.
            if case .objectID = self { return nil }
            return [nil]
        }
        switch self {
        case .object:
            guard let object = value as? StoredObject, let storedClass = object.storedClass else {
                return nil
            }
            return storedClass.context === context ? [TargetRow(object)] : []
        case .row:
            guard let row = value as? RowID else { return nil }
            return context.classesByNumber.compactMap { storedClass in
                guard let storedClass, form.accepts(storedClass) else { return nil }
                return TargetRow(classNumber: storedClass.number, row: row)
            }
        case .id:
            guard let id = value as? StoredObject.ID,
                case .row(let session, let table, let row) = id.source
            else { return nil }
            guard session == context.sessionNumber else { return [] }
            let targets = Self.target(table, row, context)
            // An object that had a number before it was in the store keeps that as its `id`.
            let isNumbered = targets.contains { target in
                target?.object(in: context)?.state.contains(.numbered) ?? false
            }
            return isNumbered ? nil : targets
        case .objectID:
            guard let id = value as? any AnyObjectID else { return nil }
            return id.store == context.storeNumber ? Self.target(id.table, id.rowID, context) : []
        }
    }

    /// A value without the optionals around it.
    private static func plain(_ value: any OptionalValue) -> Any? {
        guard let wrapped = value.wrappedValue else { return nil }
        if let inner = wrapped as? any OptionalValue { return plain(inner) }
        return wrapped
    }

    private static func target(
        _ table: TableNumber, _ row: RowID, _ context: ObjectContext
    ) -> [TargetRow?] {
        let storedClass = context.classesByNumber.first { $0?.table == table } ?? nil
        return storedClass.map { [TargetRow(classNumber: $0.number, row: row)] } ?? []
    }
}

extension TargetRow {
    /// The object, if it is in memory.
    fileprivate func object(in context: ObjectContext) -> StoredObject? {
        context.classesByNumber[Int(classNumber)]?.existing(row)
    }
}

/// An ID of an object of any class.
private protocol AnyObjectID {
    var store: UInt64 { get }
    var table: TableNumber { get }
    var rowID: RowID { get }
}

extension ObjectID: AnyObjectID {}
