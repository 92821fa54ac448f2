import CabinetBackend

/// Finds out which declared field a key path stands for, by reading it from an object made for the
/// purpose.
///
/// Only what has a setter is read, so no computed property without one is called. One with a setter
/// is called: its object holds something wherever a property might count on that, in optional
/// fields and in relationships.
enum FieldSample {
    /// Where the field lies in objects of the class; `nil` for what is no declared field of the
    /// class itself.
    static func offset(of keyPath: AnyKeyPath, _ storedClass: StoredClass) -> Int? {
        guard storedClass.isDeclared, type(of: keyPath).rootType == storedClass.type,
            keyPath is any SettableKeyPath
        else { return nil }
        let object = make(storedClass)
        return DeclarationRecorder.offset(of: keyPath, in: object) {
            _ = (object as Any)[keyPath: keyPath]
        }
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

/// A key path whose property has a setter.
private protocol SettableKeyPath {}

extension ReferenceWritableKeyPath: SettableKeyPath {}
