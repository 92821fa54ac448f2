extension StoredObject {
    static func isKind(of other: StoredObject.Type) -> Bool {
        var level: AnyClass? = self
        while let found = level {
            if found == other { return true }
            level = _getSuperclass(found)
        }
        return false
    }
}
