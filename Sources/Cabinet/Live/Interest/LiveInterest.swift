/// Which changes of objects of one class may concern a live query.
struct LiveInterest {
    /// The fields that decide.
    var fields: FieldSet = .whole
    /// Whether the objects are shown, so that any change of one that counts is to be told.
    var showsContent = true
    /// What any object has that counts; `nil` if there is no such limit.
    var limit: ValueLimit?

    /// Whether it may be concerned by a change of these fields of an object that counts.
    func isConcerned(by changed: FieldSet) -> Bool {
        showsContent || changed.isWhole || changed.intersects(fields)
    }
}

/// The values of one field that a condition leaves, as a ``FieldProbe`` reads them.
struct ValueLimit {
    enum Kind {
        case values([UInt64])
        case interval(ClosedRange<UInt64>)
    }

    let field: Int
    let kind: Kind

    /// Of what the condition asks, the first limit that is one of values, or else of an interval; `nil` if
    /// there is none.
    init?(_ condition: Condition, _ fields: ClassFields) {
        let limits = condition.conjuncts.compactMap { part in
            part.ownFields == nil ? nil : part.limit.flatMap { ValueLimit($0, fields) }
        }
        let ofValues = limits.first { if case .values = $0.kind { true } else { false } }
        guard let found = ofValues ?? limits.first else { return nil }
        self = found
    }

    private init?(_ limit: FieldLimit, _ fields: ClassFields) {
        guard let field = fields.field(named: limit.subject.name),
            field.index == limit.subject.place
        else { return nil }
        let probe = FieldProbe(field)
        self.field = field.index
        switch limit.kind {
        case .equal(let values):
            let numbers = values.compactMap(probe.number)
            guard numbers.count == values.count else { return nil }
            kind = .values(numbers)
        case .interval(let lower, let upper):
            guard let first = Self.end(lower, probe, or: 0),
                let last = Self.end(upper, probe, or: .max),
                probe.isInOrder
            else { return nil }
            // An empty one has no object.
            kind = first <= last ? .interval(first...last) : .values([])
        case .intervalOrNil, .otherThan, .prefix, .element: return nil
        }
    }

    /// The number of an end of an interval, whether that is a part of it or not; `nil` if it has none.
    private static func end(
        _ bound: FieldLimit.Bound?, _ probe: FieldProbe, or none: UInt64
    ) -> UInt64? {
        bound.map { probe.number(of: $0.value) } ?? none
    }
}
