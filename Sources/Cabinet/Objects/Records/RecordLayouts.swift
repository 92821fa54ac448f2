import CabinetBackend

class RecordLayouts {
    /// The number that new records bear.
    @exclusivity(unchecked) final var current: UInt16 = 0
    /// Whether the catalog does not know the current number yet.
    @exclusivity(unchecked) final var isUnsaved = false
    /// Whether the catalog misses something else of what the class declares.
    @exclusivity(unchecked) final var isCatalogBehind = false

    /// Numbers from here on stand behind a first byte of 255.
    static let escape: UInt8 = 255

    @inline(__always)
    final var currentByte: UInt8 { current < UInt16(Self.escape) ? UInt8(current) : Self.escape }

    /// Finds the number of what the program writes, or the next free one for it. The histories of
    /// all classes are known.
    func choose() throws {}

    /// Reads the content of a record that bears `number`, which is not the current one.
    func read(_ number: UInt16, into object: StoredObject, from buffer: DataBuffer) throws {}

    /// How a query comes to the values of a record of another number, or that lacks some.
    ///
    /// - Parameters:
    ///   - record: the record; `nil` for what an earlier call has given for it.
    ///   - buffer: room for what is given.
    func content(
        of record: UnsafeRawBufferPointer?, at row: RowID, in buffer: DataBuffer
    ) -> RecordContent { .ofObject }

    /// The class version that was in force when `number` was current; `nil` for no such number.
    func version(of number: UInt16) -> UInt8? { nil }

    /// Whether records that bear `number` are of a layout before the current one: of a lower class version, or of
    /// the same one and made before.
    func isEarlier(_ number: UInt16) -> Bool { number < current }

    /// Whether some record of the class may refer to objects.
    var mayRefer: Bool { true }

    /// What records that bear `number` say of a relationship, as the other side is in `other`.
    func word(
        _ number: UInt16, on relation: RelationCoder, with other: StoredClass
    ) -> RelationWord { .maintained }

    /// How often programs that did not know the pair of relationships have written the class.
    func interruptions(of relation: RelationCoder, with other: StoredClass) -> Int { 0 }

    /// Fields of earlier layouts that no field of the class continues.
    var unclaimedFields: [String] { [] }

    /// What distinguishes the declared field of that index from others that ever had its name; `nil` if
    /// there were none.
    func identity(ofField index: Int) -> String? { nil }

    /// Adds to `batch` what the current number stands for, and requires that the number is still
    /// free, as other stores may share the backend.
    func save(in batch: WriteBatch) throws {}
}

/// How a query comes to the values of a record that is not of the current layout.
enum RecordContent {
    /// The class reads it into an object.
    case ofObject
    /// These bytes are the same as a record of the current layout.
    case current(UnsafeRawBufferPointer)
    /// It cannot be read, as was reported. Queries leave it out.
    case passedOver
}

/// What a record says of a relationship that has an inverse.
enum RelationWord {
    /// The relationship was maintained when it was written.
    case maintained
    /// It has the relationship, and was written by a program that did not maintain the other side.
    case unmaintained
    /// It may never have known of the relationship.
    case unknown
}

/// A relationship of which a record says nothing certain, and the class of the other side.
struct UnkeptRelation {
    let relation: RelationCoder
    /// Its store owns it: classes that owned each other would never go.
    unowned let other: StoredClass
    let inverse: RelationCoder
    let word: RelationWord
}
