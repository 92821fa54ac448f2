/// What a scene writes between the operations on its files, about save number `save`.
package enum LedgerNote: Equatable {
    /// The save was begun, as this one of all attempts of the scene.
    case began(save: Int, attempt: Int)
    case acknowledged(save: Int)
    /// The save has thrown, and the disk took the word that it is not to be.
    case failed(save: Int)
    /// The store was opened and had so many saves, the last of them by this attempt.
    case opened(saves: Int, attempt: Int)
    /// The store has said that so many saves are safe, and no later one was begun since.
    case synced(saves: Int)

    package var text: String {
        switch self {
        case .began(let save, let attempt): "began \(save) \(attempt)"
        case .acknowledged(let save): "acknowledged \(save)"
        case .failed(let save): "failed \(save)"
        case .opened(let saves, let attempt): "opened \(saves) \(attempt)"
        case .synced(let saves): "synced \(saves)"
        }
    }

    package init?(_ text: String) {
        let words = text.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first, numbers.count) {
        case ("began", 2): self = .began(save: numbers[0], attempt: numbers[1])
        case ("acknowledged", 1): self = .acknowledged(save: numbers[0])
        case ("failed", 1): self = .failed(save: numbers[0])
        case ("opened", 2): self = .opened(saves: numbers[0], attempt: numbers[1])
        case ("synced", 1): self = .synced(saves: numbers[0])
        default: return nil
        }
    }
}
