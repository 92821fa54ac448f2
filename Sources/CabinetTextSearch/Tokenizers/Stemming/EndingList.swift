import CabinetBackend

/// Endings of words, of which the longest counts.
struct EndingList: Sendable {
    private let endings: [(letters: [UInt32], group: Int)]

    /// - Parameter groups: lists of endings, separated by spaces.
    init(_ groups: String...) {
        let all = groups.enumerated().flatMap { group, list in
            list.split(separator: " ").map { ($0.unicodeScalars.map(\.value), group) }
        }
        endings = all.inOrder { $0.0.count > $1.0.count }
    }

    /// Length and group of the longest ending that `letters` have in the region from `start`.
    func longest(in letters: [UInt32], from start: Int = 0) -> (length: Int, group: Int)? {
        for ending in endings where letters.count - ending.letters.count >= start {
            let offset = letters.count - ending.letters.count
            if (0..<ending.letters.count).allSatisfy({
                letters[offset + $0] == ending.letters[$0]
            }) {
                return (ending.letters.count, ending.group)
            }
        }
        return nil
    }
}
