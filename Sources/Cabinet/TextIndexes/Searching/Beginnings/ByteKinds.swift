/// Kinds of rows with numbers from 1 to 255.
///
/// Its owner frees it, and makes no copies.
struct ByteKinds {
    private static let limit = 255
    /// Kinds of texts of fewer positions are found without a search.
    static let short = 256
    /// So are those of rows in which all that stands is added at once, and less often than this.
    static let seldom = 16

    /// Of each number, from 0 on, frequency and length.
    private var frequencies = PlainList<UInt32>()
    private var lengths = PlainList<UInt32>()
    /// Of each number and each length of a short text the number when a term is added that stands once; 0
    /// for one that was not asked for yet.
    private var ofOnce = PlainList<UInt8>()
    /// Of each such frequency and length the number of the kind of a row in which nothing else stands.
    private var ofFirst = PlainList<UInt8>()
    /// How many kinds there are.
    private(set) var count = 0

    init() {
        ofFirst.append(zeros: Self.seldom * Self.short)
        frequencies.append(zeros: Self.limit + 1)
        lengths.append(zeros: Self.limit + 1)
    }

    func deallocate() {
        frequencies.deallocate()
        lengths.deallocate()
        ofOnce.deallocate()
        ofFirst.deallocate()
    }

    /// Forgets all kinds.
    mutating func removeAll() {
        if ofOnce.count > 0 {
            ofOnce.removeAllKeepingMemory()
            ofOnce.append(zeros: (count + 1) * Self.short)
            ofOnce.append(uninitialized: (Self.limit - count) * Self.short)
        }
        ofFirst.removeAllKeepingMemory()
        ofFirst.append(zeros: Self.seldom * Self.short)
        for number in 0...count { (frequencies[number], lengths[number]) = (0, 0) }
        count = 0
    }

    /// A kind, of which the first has the number 1 and the place 0.
    subscript(place: Int) -> CountedRows.Kind {
        CountedRows.Kind(frequency: frequencies[place + 1], length: lengths[place + 1], typos: 0)
    }

    /// Makes room for what ``number(behind:_:_:)`` remembers, of which beginnings read as a whole have no use.
    @inline(__always)
    mutating func prepareSums() {
        if ofOnce.count == 0 { ofOnce.append(zeros: (Self.limit + 1) * Self.short) }
    }

    /// The number of a row's kind when a term is added to it that stands so often in its text; `nil` if there
    /// are too many kinds. Behind ``prepareSums()``.
    /// - Parameter former: the number of the row's kind before; 0 for none.
    @inline(__always)
    mutating func number(behind former: UInt8, _ frequency: Int, _ length: UInt32) -> UInt8? {
        guard frequency == 1, length < Self.short else {
            return former == 0
                ? number(ofFirst: frequency, length) : search(behind: former, frequency, length)
        }
        let place = Int(former) << 8 | Int(length)
        let known = ofOnce[place]
        if known != 0 { return known }
        let found = search(behind: former, 1, length)
        ofOnce[place] = found ?? 0
        return found
    }

    /// The number of the kind of a row in which nothing was added before; `nil` if there are too many kinds.
    @inline(__always)
    mutating func number(ofFirst frequency: Int, _ length: UInt32) -> UInt8? {
        guard length < Self.short, frequency < Self.seldom else {
            return search(behind: 0, frequency, length)
        }
        let place = frequency << 8 | Int(length)
        let known = ofFirst[place]
        if known != 0 { return known }
        let found = search(behind: 0, frequency, length)
        ofFirst[place] = found ?? 0
        return found
    }

    /// The same for a short text in which the term stands seldom, if it was asked for; 0 if not.
    @inline(__always)
    func known(_ frequency: Int, _ length: UInt32) -> UInt8 {
        ofFirst[frequency << 8 | Int(length)]
    }

    @inline(never)
    private mutating func search(
        behind former: UInt8, _ more: Int, _ length: UInt32
    ) -> UInt8? {
        let sum = Int(frequencies[Int(former)]) + more
        let frequency = UInt32(truncatingIfNeeded: min(sum, Int(UInt32.max)))
        for number in 1..<count + 1
        where frequencies[number] == frequency && lengths[number] == length {
            return UInt8(number)
        }
        guard count < Self.limit else { return nil }
        count += 1
        (frequencies[count], lengths[count]) = (frequency, length)
        return UInt8(count)
    }
}
