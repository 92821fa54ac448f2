import CabinetBackend

extension Store {
    /// The object whose property has `value`, or a new one that has it, inserted; in both cases changed
    /// by `change`.
    ///
    /// ```swift
    /// let song = try store.upsert(Song.self, by: \.isrc, "USRC17607839") { song in
    ///     song.title = "So What"
    /// }
    /// ```
    ///
    /// Pending changes count. Two stores that insert the same value at a time do not both save it: the
    /// second save throws ``StoreError/notUnique(class:index:row:by:)``. `nil` and NaN equal nothing, so
    /// they always make a new object.
    ///
    /// Cost: a look-up; and each object of the class with pending changes has its key made once, and again
    /// after it has changed. Called from a delegate or an observer, and for a property that is no declared
    /// field: a key made of each of those objects. While the index is not complete, a pass over all objects.
    /// - Parameters:
    ///   - type: the class.
    ///   - key: a property of which the class has a unique index.
    ///   - value: what the property has.
    ///   - change: if it throws, what it has changed is taken back, and a new object is not inserted.
    ///     `save()`, undo and redo throw ``StoreError/stepUnderWay`` here; `rollback()` traps.
    /// - Throws: ``StoreError/badIndex(class:index:reason:)`` without such an index, what reading an
    ///   object throws, and what `change` throws.
    @discardableResult
    public func upsert<Object: StoredObject, Value: IndexedValue>(
        _ type: Object.Type, by key: ReferenceWritableKeyPath<Object, Value>, _ value: Value,
        _ change: (Object) throws -> Void = { _ in }
    ) throws -> Object {
        let storedClass = try classToRead(type)
        guard let indexes = try indexKeeper?.indexes(of: storedClass),
            let index = indexes.all.first(where: { $0.isUnique(by: key, fields(of: storedClass)) })
        else {
            throw StoreError.badIndex(
                class: storedClass.name, index: fields(of: storedClass).name(of: key),
                reason: "there is no unique index of all objects by this property")
        }
        index.uses += 1
        if let found = try object(withValue: value, of: index), let object = found as? Object {
            try step { try change(object) }
            return object
        }
        let object = Object()
        object[keyPath: key] = value
        try step {
            insert(object)
            try change(object)
        }
        return object
    }

    /// The object with a value in a unique index of one column.
    private func object<Value: IndexedValue>(
        withValue value: Value, of index: ClassIndex
    ) throws -> StoredObject? {
        let storedClass = index.storedClass
        var builder = OrderedKeyBuilder()
        guard index.sources[0].column.append(value, &builder), !builder.isNothing(at: 0) else {
            return nil
        }
        let wanted = builder.withUnsafeBytes(row: nil) { [UInt8]($0) }
        let cursor = RowCursor(self, fields(of: storedClass))
        let keys = IndexKeys()
        func hasKey(_ object: StoredObject) throws -> Bool {
            cursor.take(object)
            return try keys.isKey(wanted, of: index, cursor)
        }
        if let object = try pendingObject(withKey: wanted, of: index, where: hasKey) {
            return object
        }
        guard index.isComplete, let table = index.table else {
            return try objects(of: storedClass.type).first(where: hasKey)
        }
        let row = try reading { reader throws(BackendError) in
            try reader.row(withKey: wanted, in: table)
        }
        guard let row else { return nil }
        let object = storedClass.object(at: row)
        if object.state.contains(.deleted) { return nil }
        try load(object)
        return try hasKey(object) ? object : nil
    }

    private func pendingObject(
        withKey key: [UInt8], of index: ClassIndex, where hasKey: (StoredObject) throws -> Bool
    ) throws -> StoredObject? {
        // Else a field may be about to change that has said so already.
        if busyCalls == 0, index.sources[0].field != nil {
            return try PendingOwners.of(self).object(withKey: key, of: index, in: self)
        }
        for object in changes.objects where PendingOwners.mayOwn(object, index) {
            if try hasKey(object) { return object }
        }
        return nil
    }
}

extension ClassIndex {
    /// Whether it has a key for each object, of this property alone, that no two objects share.
    fileprivate func isUnique(by key: AnyKeyPath, _ fields: ClassFields) -> Bool {
        guard index.isUnique, index.subset == nil, sources.count == 1,
            let own = index.columns[0].keyPath
        else { return false }
        // A subclass has the property by another key path.
        return own as AnyKeyPath == key
            || sources[0].name.map { $0 == fields.declaredName(of: key) } ?? false
    }
}
