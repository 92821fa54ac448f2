@testable import CabinetTextSearch

/// The boundaries of Unicode Standard Annex 29, rule by rule and pair by pair, as the annex writes them:
/// slow, and made in another way than the tokenizer's.
struct WordBoundaryReference {
    private let classes: [WordClass]

    /// - Parameter text: without letters that have places of their own, and without emoji.
    init(_ text: [Unicode.Scalar]) { classes = text.map { WordClass.of($0.value) } }

    /// The segments that hold a letter or a digit.
    func words() -> [Range<Int>] {
        let cuts = [0] + (1..<max(classes.count, 1)).filter(isBoundary) + [classes.count]
        return zip(cuts, cuts.dropFirst()).map { $0..<$1 }.filter { range in
            classes[range].contains { $0 == .letter || $0 == .hebrew || $0 == .numeric }
        }
    }

    /// The index of the nearest scalar before, or from, `index` that extends none.
    private func before(_ index: Int) -> Int? {
        classes[..<index].lastIndex { $0 != .extend }
    }

    private func from(_ index: Int) -> Int? {
        classes[index...].firstIndex { $0 != .extend }
    }

    private func isBoundary(_ index: Int) -> Bool {
        if classes[index] == .extend { return false }  // WB4; no line ends here
        guard let one = before(index) else { return true }
        let left = classes[one]
        let right = classes[index]
        let leftLetter = left == .letter || left == .hebrew
        let rightLetter = right == .letter || right == .hebrew
        let further = before(one).map { classes[$0] }
        let next = index + 1 < classes.count ? from(index + 1).map { classes[$0] } : nil
        func isLetter(_ one: WordClass?) -> Bool { one == .letter || one == .hebrew }
        if leftLetter && rightLetter { return false }  // WB5
        if leftLetter, [.midLetter, .midBoth, .apostrophe].contains(right), isLetter(next) {
            return false  // WB6
        }
        if [.midLetter, .midBoth, .apostrophe].contains(left), rightLetter, isLetter(further) {
            return false  // WB7
        }
        if left == .hebrew && right == .apostrophe { return false }  // WB7a
        if left == .hebrew && right == .quote && next == .hebrew { return false }  // WB7b
        if left == .quote && right == .hebrew && further == .hebrew { return false }  // WB7c
        if left == .numeric && right == .numeric { return false }  // WB8
        if leftLetter && right == .numeric { return false }  // WB9
        if left == .numeric && rightLetter { return false }  // WB10
        if [.midNumber, .midBoth, .apostrophe].contains(left), right == .numeric,
            further == .numeric
        {
            return false  // WB11
        }
        if [.midNumber, .midBoth, .apostrophe].contains(right), left == .numeric,
            next == .numeric
        {
            return false  // WB12
        }
        if right == .connector, leftLetter || left == .numeric || left == .connector {
            return false  // WB13a
        }
        return !(left == .connector && (rightLetter || right == .numeric))  // WB13b, WB999
    }
}
