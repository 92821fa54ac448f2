import CabinetBackend

// `rowID` is no declared field: a cursor knows it without its object.

extension PredicateCompiler {
    /// The row of the object, if `keyPath` is `rowID`; `nil` for any other property.
    func row<Output>(at keyPath: KeyPath<Object, Output>) -> Compiled<Output>? {
        guard Output.self == RowID.self, Self.isRow(keyPath) else { return nil }
        var compiled = Compiled<RowID>(needsObject: false) { $0.row }
        compiled.isRow = true
        return compiled as? Compiled<Output>
    }

    /// Whether the key path is `rowID` alone. Key paths of different root classes are never equal, so its
    /// name has to do: no subclass can have another property of that name. Where a program is built
    /// without names, no property is.
    static func isRow(_ keyPath: AnyKeyPath) -> Bool {
        let text = "\(keyPath)"
        guard text.hasSuffix(".rowID") else { return false }
        return text == "\\\(type(of: keyPath).rootType).rowID"
    }
}

extension TargetCondition {
    /// The row of the only target that meets it, of a class; `nil` if it is another condition.
    func row(_ fields: ClassFields) -> RowID? {
        guard case .expression(let asked)? = condition(fields) else { return nil }
        return asked.row
    }
}
