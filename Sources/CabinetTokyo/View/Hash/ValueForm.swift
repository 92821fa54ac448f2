import CabinetBackend

/// How a hash file holds the keys and values of its table: what a commit has put goes into such a file, and
/// comes out of it again, here alone.
package struct ValueForm: Sendable {
    /// Whether it can be told of each record that it is sound. Those of 2010 have no sum.
    let hasSum: Bool
    /// What seals the records; `nil`: the value stands as it was put, with the CRC-32C of key and value behind
    /// it, if there is a sum.
    let seal: TableSeal?

    package static let summed = ValueForm(hasSum: true)
    package static let bare = ValueForm(hasSum: false)

    init(_ entry: CatalogEntry, _ files: any FileLayer) {
        self.init(
            entry.definition, hasSum: entry.checksums, isSealed: entry.keyForm != .legacy, files)
    }

    /// Of a table of which the catalog says nothing. The file of a table of records alone may be unsealed.
    init(
        _ table: TableDefinition, hasSum: Bool = true, isSealed: Bool = true, _ files: any FileLayer
    ) {
        let isOpen = !isSealed || table.kind == .record && table.flags.contains(.unsealed)
        self.init(
            hasSum: hasSum,
            seal: isOpen
                ? nil
                : files.sealer.map { TableSeal($0, table.number, hasNames: table.kind == .named) })
    }

    /// Of the catalog itself.
    static func ofCatalog(_ files: any FileLayer) -> ValueForm {
        ValueForm(TableDefinition(number: .catalog, kind: .named, name: "Catalog"), files)
    }

    private init(hasSum: Bool, seal: TableSeal? = nil) {
        self.hasSum = hasSum || seal != nil
        self.seal = seal
    }

    // MARK: Keys

    /// Calls `body` with what is looked for in the file for a key of a named table.
    @inline(__always)
    func withFileKey<Result>(
        of key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard let seal, seal.hasNames else { return body(key) }
        return withUnsafeBytes(of: seal.code(of: key).bytes) { body($0) }
    }

    // MARK: Taking

    /// Calls `body` with the value that was found under `fileKey` as `content`. `nil`: it is damaged.
    @inline(__always)
    func withValue<Result>(
        of content: UnsafeRawBufferPointer, _ fileKey: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        if let seal { return seal.withOpened(content, fileKey) { body($1) } }
        return plainValue(of: content, fileKey).map(body)
    }

    /// Likewise, where the key's `keySize` bytes lie in front of what was found.
    @inline(__always)
    func withValue<Result>(
        of content: UnsafeRawBufferPointer, behindKey keySize: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        if let seal {
            let key = UnsafeRawBufferPointer(
                start: content.baseAddress.map { $0 - keySize }, count: keySize)
            return seal.withOpened(content, key) { body($1) }
        }
        guard hasSum else { return body(content) }
        return Checksum.isRight(behindKey: keySize, content)
            ? body(Checksum.value(of: content)) : nil
    }

    /// The value that was found under `fileKey` as `content`, which it is a part of, or lies in `opened`.
    /// `nil`: it is damaged.
    @inline(__always)
    func value(
        of content: UnsafeRawBufferPointer, _ fileKey: UnsafeRawBufferPointer,
        _ opened: OpenedRecord?
    ) -> UnsafeRawBufferPointer? {
        guard let seal else { return plainValue(of: content, fileKey) }
        guard let opened else { return nil }
        opened.reserve(content.count)
        return seal.open(content, fileKey, to: opened.bytes)?.value
    }

    @inline(__always)
    private func plainValue(
        of content: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard hasSum else { return content }
        return Checksum.isRight(key, content) ? Checksum.value(of: content) : nil
    }

    /// Calls `body` with the key and the value of a record. `nil`: it is damaged.
    @inline(__always)
    func withEntry<Result>(
        of record: HashImage.Record,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        if let seal { return seal.withOpened(record.value, record.key, body) }
        guard hasSum else { return body(record.key, record.value) }
        return Checksum.isRight(record)
            ? body(record.key, Checksum.value(of: record.value)) : nil
    }

    /// Whether a record is not known to be damaged.
    @inline(__always)
    func isSound(_ record: HashImage.Record) -> Bool {
        if let seal { return seal.withOpened(record.value, record.key) { _, _ in true } ?? false }
        return !hasSum || Checksum.isRight(record)
    }
}

extension HashSizing {
    /// As ``growth(puts:bytes:)``, of a file whose records may be sealed: a name is in the record then, too,
    /// and a code in its place.
    static func growth(puts: UInt64, bytes: UInt64, _ files: any FileLayer) -> UInt64 {
        let perPut = files.sealer == nil ? 0 : SealedPiece.overhead + NameCode.size + 8
        return growth(puts: puts, bytes: bytes + puts * UInt64(perPut))
    }
}
