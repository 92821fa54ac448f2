/// Finds the terms of a list in memory that match a ``TypoPattern``, in one pass that skips terms by what
/// they have in common with their neighbours.
///
/// A beginning that rules a match out rules out all terms that share it, and these follow one another:
/// the list says how far. So a row of distances is made once for each beginning that some terms share.
package struct TypoScan {
    private var rows: TypoRows
    /// Where each letter of the rows ends in the term.
    private var ends: [Int] = []
    private let lead: [UInt8]

    /// - Parameter lead: what all terms of interest begin with, before their first letter.
    package init(_ pattern: TypoPattern, lead: [UInt8] = []) {
        rows = TypoRows(pattern)
        self.lead = lead
    }

    /// Calls `found` with the place of each term that matches, in order, and its cost.
    package mutating func forEach(in terms: TermList, found: (_ term: Int, _ cost: Int) -> Void) {
        var term = terms.place(of: lead)
        var shared = 0
        while term < terms.count {
            guard let dead = terms.withBytes(of: term, { take($0, sharing: shared) }) else {
                return
            }
            var next = term + 1
            if dead > 0 {
                next = terms.placeBehind(term, sharing: dead)
            } else if let cost = rows.cost {
                found(term, cost)
            }
            guard next < terms.count else { return }
            // What is passed over shares more with this term than the next one does.
            shared = terms.shared(by: next)
            term = next
        }
    }

    /// Brings the rows to `term`, which shares its first bytes with the one before. Returns the
    /// bytes that rule a match out, 0 if none do; `nil` for a term that does not begin with the
    /// lead.
    private mutating func take(_ term: UnsafeRawBufferPointer, sharing shared: Int) -> Int? {
        guard term.count >= lead.count, term.prefix(lead.count).elementsEqual(lead) else {
            return nil
        }
        while let end = ends.last, end > shared { ends.removeLast() }
        rows.truncate(to: ends.count)
        let bytes = term.assumingMemoryBound(to: UInt8.self)
        var offset = ends.last ?? lead.count
        while offset < bytes.count {
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
            offset += length
            ends.append(offset)
            guard rows.append(value) else { return offset }
        }
        return 0
    }
}
