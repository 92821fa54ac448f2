/// Why a live list has changed; of several changes that were taken as one, all reasons. `Sendable`: a
/// value.
public struct LiveCause: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public let rawValue: UInt8

    /// The set of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A save of the store, or another commit of its own.
    public static let save = LiveCause(rawValue: 1)
    /// What other stores or processes have saved.
    public static let otherStores = LiveCause(rawValue: 2)
    /// Something pending: an edit, undo, redo, or a rollback. Only where pending changes count.
    public static let edit = LiveCause(rawValue: 4)
    /// A step of undo that was taken back or made again, and saved: besides ``save`` or ``otherStores``.
    public static let undo = LiveCause(rawValue: 8)
    /// The program has called ``LiveObjects/renew()``.
    public static let renewal = LiveCause(rawValue: 16)
    /// What was saved since a position that was kept: the first change of ``LiveObjects/resume(after:)``.
    public static let resumption = LiveCause(rawValue: 32)
}
