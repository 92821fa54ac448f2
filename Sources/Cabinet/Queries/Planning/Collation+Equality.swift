import CabinetTextSearch

extension Collation {
    /// Whether texts that `==` calls equal may have different keys.
    var mayDivideEqualTexts: Bool { if case .binary = method { true } else { false } }
}
