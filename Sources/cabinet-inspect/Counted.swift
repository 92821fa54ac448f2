extension BinaryInteger {
    /// "1 save", "2 saves".
    func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
