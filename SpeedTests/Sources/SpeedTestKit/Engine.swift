/// The library that does the work.
public enum Engine: String, CaseIterable, Codable, Sendable {
    /// Objects in a `Store` on disk.
    case cabinet
    /// SQLite, called from C: rows, no objects.
    case sqlite
    /// Tokyo Cabinet, called from C: records, no objects, no durability.
    case tokyo
    /// Objects in a `Store` in memory: what the house alone costs. For profiling.
    case memory
    /// Objects in a `Store` in a file of SQLite's.
    case file
    /// Objects of classes with declared fields, where `cabinet` has hand-written ones.
    case declared
    /// Plain Swift objects in no store.
    case plain

    /// Those that `compare` compares.
    static let compared: [Engine] = [.cabinet, .sqlite, .tokyo]
}
