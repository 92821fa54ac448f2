import CabinetBackend

/// Seals what a store writes to its files, so that nobody reads or changes it without the store's key.
///
/// A sealed piece is a nonce of 24 bytes, as many bytes as were sealed, and a tag of 16 bytes. What it
/// is *bound* to, such as its place, is not in it: it opens only where the same is said of it again.
package protocol Sealer: AnyObject, Sendable {
    /// Writes `bytes`, sealed, to `target`, where ``SealedPiece/overhead`` more bytes are free. The two
    /// must not overlap.
    func seal(
        _ bytes: UnsafeRawBufferPointer, boundTo binding: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawPointer)

    /// Writes what was sealed to `target`, ``SealedPiece/overhead`` bytes less. `false`: the piece is not
    /// what was sealed, or was bound to something else; what is at `target` means nothing then.
    func open(
        _ piece: UnsafeRawBufferPointer, boundTo binding: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawPointer
    ) -> Bool

    /// What stands for a key of a named table in its file: 16 bytes that only the store's key makes of it.
    func code(of name: UnsafeRawBufferPointer, in table: TableNumber) -> NameCode

    /// Why nothing that another process seals can be opened any more: it has given the store another key. `nil`: it has
    /// not, as far as the disk shows.
    var lostKey: BackendError? { get }
}

/// The bytes that stand for a name.
package struct NameCode: Hashable, Sendable {
    package static let size = 16
    package var bytes: (UInt64, UInt64)

    package init(_ first: UInt64, _ second: UInt64) { bytes = (first, second) }

    package static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.0)
        hasher.combine(bytes.1)
    }
}

/// The measures of a sealed piece.
package enum SealedPiece {
    package static let nonceSize = 24
    package static let tagSize = 16
    /// By how many bytes a piece is longer than what was sealed.
    package static let overhead = nonceSize + tagSize
}
