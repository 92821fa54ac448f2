extension FieldChange {
    /// What has changed from one record of an object to a later one, perhaps of another layout.
    static func changes(from before: [DecodedField], to now: [DecodedField]) -> [FieldChange] {
        let old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
        let names = Set(now.map(\.name))
        let changed = now.compactMap { field in
            let former = old[field.name]
            return former.map { $0.isSame(as: field.value) } ?? false
                ? nil : FieldChange(name: field.name, old: former, new: field.value)
        }
        let gone = before.filter { !names.contains($0.name) }
        return changed + gone.map { FieldChange(name: $0.name, old: $0.value, new: nil) }
    }
}

extension FieldValue {
    /// As `==`, but what is not a number is the same as what is not one, and a relationship to one as one to many
    /// with the same target: a class may have made the one of the other.
    fileprivate func isSame(as other: FieldValue) -> Bool {
        switch (self, other) {
        case (.float(let one), .float(let other)): one == other || one.isNaN && other.isNaN
        case (.double(let one), .double(let other)): one == other || one.isNaN && other.isNaN
        case (.list(let ones), .list(let others)):
            ones.count == others.count && zip(ones, others).allSatisfy { $0.isSame(as: $1) }
        case (.reference(let one), .references(let others)),
            (.references(let others), .reference(let one)):
            others == [one]
        case (.none, .references(let others)), (.references(let others), .none): others.isEmpty
        default: self == other
        }
    }
}
