import CabinetBackend

extension Store {
    private static let versioningKey = Array("versioning".utf8)

    /// How the records of `backend` carry their version, if its catalog says so.
    static func recordedVersioning(in backend: any Backend) throws -> Versioning? {
        let buffer = DataBuffer()
        let isThere = try versioningKey.withUnsafeBytes { key in
            try backend.value(forKey: key, in: .catalog, into: buffer)
        }
        guard isThere else { return nil }
        return buffer.withUnsafeBytes { Versioning(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// Writes down how records carry their version, in the first save.
    func recordVersioning(in batch: WriteBatch) throws {
        guard !isVersioningRecorded else { return }
        let value = Array(codec.versioning.rawValue.utf8)
        try Self.versioningKey.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                try batch.put(value, for: key, in: .catalog)
            }
        }
    }

    /// Adds the table of `home`, or its new version, to the batch.
    func define(_ home: StoredClass, in batch: WriteBatch) throws {
        if codec.versioning == .perClass, let old = home.definition?.classVersion,
            old < home.version
        {
            // One version stands for all records, so all of them change with it.
            try forEachOldObject(of: home) { object in
                try writeRecord(of: object, home, to: batch)
            }
        }
        try batch.define(home.wantedDefinition)
    }
}
