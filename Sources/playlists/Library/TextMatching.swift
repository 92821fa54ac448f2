import Foundation

extension String {
    /// Whether `text` stands anywhere in this; case and accents do not count.
    func loosely(contains text: String) -> Bool {
        range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
}
