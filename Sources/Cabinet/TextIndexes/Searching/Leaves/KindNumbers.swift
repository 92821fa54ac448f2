/// Gives kinds their numbers.
struct KindNumbers {
    private(set) var kinds: [CountedRows.Kind] = []
    private var numbers: [CountedRows.Kind: UInt16] = [:]
    /// Of short texts, in which terms stand seldom: the number of the kind and one; 0 for none.
    private var ofShort = [UInt16](repeating: 0, count: 4 << 11)

    @inline(__always)
    mutating func number(of kind: CountedRows.Kind) -> UInt16? {
        guard kind.frequency < 8, kind.length < 256, kind.typos < 4 else { return add(kind) }
        let place = Int(UInt32(kind.typos) << 11 | kind.frequency << 8 | kind.length)
        let known = ofShort[place]
        if known != 0 { return known &- 1 }
        guard let number = add(kind), number < .max else { return nil }
        ofShort[place] = number + 1
        return number
    }

    @inline(never)
    private mutating func add(_ kind: CountedRows.Kind) -> UInt16? {
        if let known = numbers[kind] { return known }
        guard kinds.count < Int(UInt16.max) else { return nil }
        let number = UInt16(kinds.count)
        numbers[kind] = number
        kinds.append(kind)
        return number
    }
}
