import CabinetBackend

/// The part of an index in which a query looks.
struct IndexSpan {
    let index: ClassIndex
    let table: TableNumber
    /// Ranges of keys in their order, none of which overlap.
    var ranges: [KeyRange]
    /// Whether all objects of those keys meet the condition, and no other saved ones.
    let isExact: Bool
    /// What the ranges follow from, in the order of columns; none for all keys.
    let limits: [FieldLimit]
    /// How many columns each have one value in all of the ranges: that of their limit.
    let equalColumns: Int

    /// - Parameters:
    ///   - found: what a condition leaves of the index; `nil` for all keys.
    ///   - limits: those of the parts of the condition.
    init(
        _ index: ClassIndex, _ table: TableNumber, _ found: IndexRanges?, of limits: [FieldLimit?]
    ) {
        (self.index, self.table) = (index, table)
        ranges = found?.ranges ?? [.everything]
        isExact = (found?.isExact ?? true) && (found?.used.count ?? 0) == limits.count
        self.limits = found?.taken ?? []
        equalColumns = found?.equalColumns ?? 0
    }

    /// Exactly those ranges.
    init(_ index: ClassIndex, _ table: TableNumber, ranges: [KeyRange]) {
        (self.index, self.table, self.ranges) = (index, table, ranges)
        (isExact, limits, equalColumns) = (true, [], 0)
    }
}

/// A way to ask an index.
protocol ScanOfIndex {
    var span: IndexSpan { get }
}

extension ScanOfIndex {
    var index: ClassIndex { span.index }
    var table: TableNumber { span.table }
    var ranges: [KeyRange] { span.ranges }
    var isExact: Bool { span.isExact }
    var limits: [FieldLimit] { span.limits }
    var equalColumns: Int { span.equalColumns }
}
