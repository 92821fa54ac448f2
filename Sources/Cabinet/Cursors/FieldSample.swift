import CabinetBackend

/// Finds out which declared field a key path stands for, by reading it from an object made for the
/// purpose. Only what has a setter is read: a computed property with one finds something in
/// optional fields and in relationships wherever it might count on that.
enum FieldSample {
    /// Where the field lies in objects of the class; `nil` for what is no declared field of it or of a
    /// superclass.
    static func offset(of keyPath: AnyKeyPath, _ storedClass: StoredClass) -> Int? {
        guard storedClass.isDeclared, isSettable(keyPath),
            let root = type(of: keyPath).rootType as? StoredObject.Type,
            storedClass.type.isKind(of: root)
        else { return nil }
        let object = make(storedClass)
        return DeclarationRecorder.offset(of: keyPath, in: object) {
            _ = (object as Any)[keyPath: keyPath]
        }
    }

    /// Whether it is a `ReferenceWritableKeyPath`, the only class of key paths with four
    /// superclasses: a cast would have the runtime look for conformances.
    private static func isSettable(_ keyPath: AnyKeyPath) -> Bool {
        var superclasses = 0
        var level: AnyClass = Swift.type(of: keyPath)
        while level != AnyKeyPath.self, let next = _getSuperclass(level) {
            superclasses += 1
            level = next
        }
        return superclasses == 4
    }

    private static func make(_ storedClass: StoredClass) -> StoredObject {
        let object = storedClass.type.init()
        let base = Unmanaged.passUnretained(object).toOpaque()
        for entry in storedClass.fields.entries {
            if let relation = entry.coder as? RelationCoder {
                relation.set([relation.targetType.init()], at: base + entry.offset)
            } else if case .optional(.scalar(let scalar)) = entry.coder.type {
                let buffer = DataBuffer()
                buffer.writeBool(true)
                for _ in 0..<(scalar.size ?? 4) { buffer.writeUInt8(0) }
                // A type of one's own may know no such value.
                try? entry.coder.read(at: base + entry.offset, from: buffer)
            }
        }
        return object
    }
}
