/// A migration that did not run to its end: which one, and what its body threw.
///
/// `Sendable`: a value.
public struct MigrationFailure: Error, Sendable {
    /// The name of the migration.
    public let migration: String
    /// What its body threw.
    public let error: any Error
}

extension MigrationFailure: Hashable {
    /// Whether both are the same migration with errors of the same text.
    public static func == (one: MigrationFailure, other: MigrationFailure) -> Bool {
        one.migration == other.migration && one.description == other.description
    }

    /// Hashes the name of the migration.
    public func hash(into hasher: inout Hasher) { hasher.combine(migration) }
}

extension MigrationFailure: CustomStringConvertible {
    /// The name of the migration and the error's text.
    public var description: String { "The migration '\(migration)' failed: \(error)" }
}
