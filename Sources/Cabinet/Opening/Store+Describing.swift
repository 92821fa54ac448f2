import CabinetBackend

extension Store {
    /// A store without classes of a program: it answers queries and searches by what the catalog says of its
    /// classes, from their records and the indexes that need no closure. Nothing can be saved in it, and no
    /// object read.
    ///
    /// - Parameters:
    ///   - schema: what the catalog says, as `reader` has it.
    ///   - reader: what is read, which must not change: of a backend that nothing saves to, the backend.
    ///   - backend: what the reader is of. It stays open.
    ///   - usesIndexes: whether indexes may be used; a query then looks at every record.
    ///   - unreadable: called once for each record that was met and cannot be read, and is left out.
    /// - Throws: a ``BackendError``.
    package convenience init(
        describedBy schema: StoreSchema, reading reader: any BackendReader,
        over backend: any Backend, usesIndexes: Bool = true,
        unreadable: @escaping UnreadableRecord = { _, _, _ in }
    ) throws {
        let part = DescribedPart(schema: schema, kinds: [IndexKeeper.self, TextKeeper.self])
        try self.init(
            backend: backend, reader: reader,
            classes: DescribedClasses(schema: schema, unreadable: unreadable), migrations: [],
            versioning: .perInstance, log: .none, parts: usesIndexes ? [part] : [])
    }
}
