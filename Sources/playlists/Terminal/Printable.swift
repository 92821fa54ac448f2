extension String {
    /// This on one line, without characters that steer a terminal: a song's title must not be
    /// able to move the cursor.
    var printable: String {
        guard unicodeScalars.contains(where: Self.steers) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            result.unicodeScalars.append(Self.steers(scalar) ? "\u{FFFD}" : scalar)
        }
        return result
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F: true
        // Line and paragraph separators, and marks that turn the direction of what follows.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
