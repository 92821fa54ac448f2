/// Values that do not fit their fields: left out, so that one does not keep a library away.
struct Misfits {
    /// By field: how many there are, where the first stands, and what is wrong with it.
    private var found: [String: (count: Int, line: Int, problem: ImportError.Problem)] = [:]

    var notes: [String] {
        found.sorted { $0.value.line < $1.value.line }.map { field, misfits in
            "Left out \(counted(misfits.count, "value")) of \(quoted(field)), the first in line "
                + "\(misfits.line): \(misfits.problem)"
        }
    }

    mutating func string(_ key: String, of element: PropertyListElement) -> String {
        fitting(key, element, "") { (element) throws(ImportError.Problem) in
            try element.string(key)
        }
    }

    mutating func integer(
        _ key: String, in range: ClosedRange<Int64>, of element: PropertyListElement
    ) -> Int64? {
        fitting(key, element, nil) { (element) throws(ImportError.Problem) in
            try element.integer(key, in: range)
        }
    }

    mutating func flag(_ key: String, of element: PropertyListElement) -> Bool {
        fitting(key, element, false) { (element) throws(ImportError.Problem) in
            try element.flag(key)
        }
    }

    /// What `read` returns; `missing` if it throws, of which note is taken.
    private mutating func fitting<Value>(
        _ key: String, _ element: PropertyListElement, _ missing: Value,
        _ read: (PropertyListElement) throws(ImportError.Problem) -> Value
    ) -> Value {
        do throws(ImportError.Problem) {
            return try read(element)
        } catch {
            found[key, default: (0, element.line, error)].count += 1
            return missing
        }
    }
}
