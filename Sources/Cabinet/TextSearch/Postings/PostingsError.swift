/// Why bytes are no block of postings. `Sendable`: a value.
struct PostingsError: Error, Hashable, Sendable {
    enum Reason: Hashable, Sendable {
        /// The bytes end too early.
        case truncated
        /// A number is longer than it has to be, or too large.
        case badNumber
        /// A block has no row or too many, or its last row is not the one that its head names.
        case badRows
        /// Positions that do not ascend, or are too many.
        case badPositions
        /// Bytes are left over.
        case surplus
    }

    let reason: Reason
    /// Where: so many bytes of the block stand before it.
    let offset: Int
}
