/// A store that also keeps text indexes: a later folder makes ``Store`` one. Their work is done by the
/// thread that builds indexes.
protocol TextKeepingStore {
    /// Whether a text index is to be built or brought into form.
    func hasTextWork() throws -> Bool

    /// The text indexes that searches cannot use yet, as "class.name".
    func textsLackingRecords() throws -> [String]

    /// How many records are to be looked at to build those that are not complete.
    func textUnitsLeft() throws -> Int

    /// Builds text indexes and brings them into form, as far as they need that.
    func keepTexts(_ progress: IndexProgress) throws
}
