import CabinetBackend

/// Values by table number.
///
/// An array, not a dictionary: the first dictionary of a kind has the runtime look through every
/// protocol conformance of the program, which takes longer than opening a file.
struct TableMap<Value> {
    private var values: [Value?] = []

    init() {}

    /// A later value replaces an earlier one of the same number.
    init(_ pairs: some Sequence<(TableNumber, Value)>) {
        for (number, value) in pairs { self[number] = value }
    }

    subscript(number: TableNumber) -> Value? {
        get { number.index < values.count ? values[number.index] : nil }
        set {
            if number.index >= values.count {
                if newValue == nil { return }
                values.append(
                    contentsOf: repeatElement(nil, count: number.index + 1 - values.count))
            }
            values[number.index] = newValue
        }
    }
}

extension TableMap: Sendable where Value: Sendable {}
