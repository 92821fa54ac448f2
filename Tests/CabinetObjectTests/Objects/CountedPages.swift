import CabinetBackend
import Foundation

@testable import Cabinet

/// Pages with values that count how often they are decoded.
enum CountedPages {
    /// Counts how often values were decoded and encoded, by their first word.
    struct Counted: Codable, Equatable {
        static let decoded = Guarded<[String: Int]>([:])
        static let encoded = Guarded<[String: Int]>([:])
        var words: [String]

        init(_ words: [String]) { self.words = words }
        init(from decoder: any Decoder) throws {
            words = try decoder.singleValueContainer().decode([String].self)
            if words.contains("refuse") { throw CocoaError(.coderReadCorrupt) }
            let first = words.first ?? ""
            Self.decoded.withLock { $0[first, default: 0] += 1 }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(words)
            let first = words.first ?? ""
            Self.encoded.withLock { $0[first, default: 0] += 1 }
        }
    }

    final class Page: StoredObject {
        @Field var title = ""
        @Field var counted = Counted(["new"])
        @Field var maybe: Counted?
        @Field var number = 0
    }
}
