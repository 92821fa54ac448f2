import CabinetBackend

/// A reader of what a store held as of an older commit than the tables that follow from records have.
///
/// It has no ordered tables, and its catalog nothing of them: all is found by looking at the records.
protocol PastReading: BackendReader {}

extension Store {
    /// Whether the store reads as of a commit that only history knows.
    var isPast: Bool { frozen is any PastReading }
}
