import TrustSupport

/// Words of several scripts, of which random texts are made.
enum SearchWords {
    static let all = [
        "blue", "train", "trains", "training", "Blues", "choice", "choices", "café", "Café",
        "naïve",
        "синий", "поезд", "Поезда", "τραίνο", "μπλε", "قطار", "أزرق", "नीला", "रेलगाड़ी", "รถไฟสีฟ้า",
        "青い電車", "電車", "👩🏽‍🚀", "🇩🇪🇫🇷", "e-mail", "3.14", "don't", "don", "France's", "france", "l’avion",
        "rock'n'roll", "roll", "straße", "STRASSE", "beethoven",
    ]

    static func text(_ random: inout SeededRandom, upTo count: Int) -> String {
        (0..<random.below(count + 1)).map { _ in all[random.below(all.count)] }
            .joined(separator: random.once(in: 6) ? ", " : " ")
    }

    static func query(_ random: inout SeededRandom) -> String {
        func word() -> String { all[random.below(all.count)] }
        switch random.below(12) {
        case 0: return "\(word()) \(word())"
        case 1: return "\"\(word()) \(word())\""
        case 2: return "\(word().prefix(2))*"
        case 3: return "\(word()) OR \(word())"
        case 4: return "\(word()) NOT \(word())"
        case 5: return "title:\(word())"
        case 6: return "NEAR(\(word()) \(word()), \(random.below(4)))"
        case 7: return "[[*\(word().dropFirst().prefix(3))*]]"
        case 8: return "\(word()) (\(word()) OR \(word()))"
        case 9: return "body:(\(word()) OR \(word())) -\(word())"
        default: return word()
        }
    }
}
