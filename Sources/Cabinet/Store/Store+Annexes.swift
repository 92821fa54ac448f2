extension Store {
    /// The store's own instance of `Annex`, made when first asked for.
    @inline(__always)
    func annex<Annex: AnyObject>(
        _ type: Annex.Type, make: (Store) throws -> Annex
    ) rethrows -> Annex {
        if let found = annexIfMade(type) { return found }
        let new = try make(self)
        annexes.append((ObjectIdentifier(type), new))
        return new
    }

    /// As ``annex(_:)``; `nil` if there is none yet.
    @inline(__always)
    func annexIfMade<Annex: AnyObject>(_ type: Annex.Type) -> Annex? {
        findAnnex(ObjectIdentifier(type)).map { unsafeDowncast($0, to: Annex.self) }
    }

    private func findAnnex(_ key: ObjectIdentifier) -> AnyObject? {
        for (known, annex) in annexes where known == key { return annex }
        return nil
    }

    func removeAnnex<Annex: AnyObject>(_ type: Annex.Type) {
        let key = ObjectIdentifier(type)
        annexes.removeAll { $0.key == key }
    }
}
