/// Kinds of rows with numbers from 1 to 255.
///
/// Its owner frees it, and makes no copies.
struct ByteKinds {
    private static let limit = 255
    /// Texts of fewer positions, in which terms stand more seldom than ``fewTimes``, are found without a search.
    private static let short = 256
    private static let fewTimes = 8

    /// Of each number, from 0 on, frequency and length.
    private var frequencies = PlainList<UInt32>()
    private var lengths = PlainList<UInt32>()
    /// Of each frequency and each length of a short text the number; 0 for none.
    private var ofShort = PlainList<UInt8>()
    /// How many kinds there are.
    private(set) var count = 0

    init() {
        ofShort.append(zeros: Self.fewTimes * Self.short)
        frequencies.append(zeros: Self.limit + 1)
        lengths.append(zeros: Self.limit + 1)
    }

    func deallocate() {
        frequencies.deallocate()
        lengths.deallocate()
        ofShort.deallocate()
    }

    /// Forgets all kinds.
    mutating func removeAll() {
        for number in 1...max(count, 1) {
            if frequencies[number] < Self.fewTimes, lengths[number] < Self.short {
                ofShort[Int(frequencies[number]) << 8 | Int(lengths[number])] = 0
            }
            (frequencies[number], lengths[number]) = (0, 0)
        }
        count = 0
    }

    /// A kind, of which the first has the number 1 and the place 0.
    subscript(place: Int) -> CountedRows.Kind {
        CountedRows.Kind(frequency: frequencies[place + 1], length: lengths[place + 1], typos: 0)
    }

    /// The number of a row's kind when a term is added to it that stands so often in its text; `nil` if there
    /// are too many kinds.
    /// - Parameter former: the number of the row's kind before; 0 for none.
    @inline(__always)
    mutating func number(behind former: UInt8, _ frequency: Int, _ length: UInt32) -> UInt8? {
        let sum = Int(frequencies[Int(former)]) &+ frequency
        if sum < Self.fewTimes, length < Self.short {
            let known = ofShort[sum << 8 | Int(length)]
            if known != 0 { return known }
        }
        return search(min(sum, Int(UInt32.max)), length)
    }

    @inline(never)
    private mutating func search(_ frequency: Int, _ length: UInt32) -> UInt8? {
        var number = 1
        while number <= count, frequencies[number] != frequency || lengths[number] != length {
            number += 1
        }
        if number > count {
            guard count < Self.limit else { return nil }
            count += 1
            frequencies[number] = UInt32(frequency)
            lengths[number] = length
        }
        if frequency < Self.fewTimes, length < Self.short {
            ofShort[frequency << 8 | Int(length)] = UInt8(number)
        }
        return UInt8(number)
    }
}
