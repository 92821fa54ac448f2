/// What remains to be done when a property has changed.
@usableFromInline
struct ChangeEnd: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The registrar of the object reports the change to its observers.
    static let observers = ChangeEnd(rawValue: 1)
    /// The store calls its delegate, as the change has ended.
    static let change = ChangeEnd(rawValue: 2)
    /// The step that holds the change ends.
    static let step = ChangeEnd(rawValue: 4)

    // As an option set, it would make an array wherever it is not optimized.
    @inlinable static var nothing: ChangeEnd { ChangeEnd(rawValue: 0) }
    @inlinable var isNothing: Bool { rawValue == 0 }
}
