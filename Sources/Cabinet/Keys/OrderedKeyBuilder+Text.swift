import CabinetTextSearch

extension OrderedKeyBuilder {
    /// Appends a text under `collation`.
    ///
    /// Scalars below U+0300, and those of Cyrillic, Kana, Han, Hangul and emoji, are copied; other
    /// texts are normalized first, which takes several times as long.
    public mutating func append(_ text: String, collation: Collation) {
        switch collation.method {
        case .binary, .unicode: appendByte(KeyTag.text)
        default: appendByte(KeyTag.collated)
        }
        appendContent(of: text, collation: collation)
        appendByte(KeyEscape.end)
    }

    /// Appends a text under `collation`, or `nil`, which is first.
    public mutating func append(_ text: String?, collation: Collation) {
        if let text {
            append(text, collation: collation)
        } else {
            appendByte(KeyTag.absent)
        }
    }

    /// Appends a text under ``Collation/unicode``, without a look at the collation.
    mutating func append(unicode text: String) {
        appendByte(KeyTag.text)
        if !appendPlain(text, lowercased: false) { appendUnicode(text) }
        appendByte(KeyEscape.end)
    }

    /// Appends the escaped bytes, without tag and end; with `isPrefix`, the first level alone.
    mutating func appendContent(
        of text: String, collation: Collation, isPrefix: Bool = false
    ) {
        switch collation.method {
        case .binary:
            if appendPlain(text, lowercased: false) { return }
            var text = text
            text.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0)) }
        case .unicode:
            if !appendPlain(text, lowercased: false) { appendUnicode(text) }
        case .caseInsensitive:
            if !appendPlain(text, lowercased: true) { appendFolded(text) }
        case .digitsOnly:
            appendDigits(of: text)
        case .numeric:
            var text = text
            appendNumeric(&text, isPrefix: isPrefix)
        case .own(let sortKey, _):
            sortKey(text).withUnsafeBytes { appendEscaped($0) }
        }
    }

    /// How many bytes of a text can matter: all that fit into a key, and one scalar.
    private static let looked = OrderedKey.longestWhole + 8
    /// How many scalars of a first form can matter: 4 of them become one of the second at most.
    private static let lookedScalars = 4 * (OrderedKey.longestWhole + 1)

    /// Appends plain ASCII that is not cut. `false`, with nothing appended, for any other text.
    @inline(__always)
    private mutating func appendPlain(_ text: String, lowercased: Bool) -> Bool {
        let utf8 = text.utf8
        return utf8.withContiguousStorageIfAvailable {
            appendPlain(UnsafeRawBufferPointer($0), lowercased: lowercased)
        } ?? false
    }

    private mutating func appendUnicode(_ text: String) {
        var text = text
        let isInert = text.withUTF8 { bytes in
            let looked = UnsafeBufferPointer(rebasing: bytes.prefix(Self.looked))
            guard TextNormalizer.isInert(looked) else { return false }
            appendEscaped(UnsafeRawBufferPointer(looked))
            return true
        }
        guard !isInert else { return }
        normalizer.normalize(text, limit: Self.lookedScalars)
        appendOutput()
    }

    private mutating func appendFolded(_ text: String) {
        var text = text
        let isInert = text.withUTF8 {
            TextNormalizer.isInert(UnsafeBufferPointer(rebasing: $0.prefix(Self.looked)))
        }
        var folded: [UInt32] = []
        if isInert {
            for scalar in text.unicodeScalars.prefix(Self.looked) {
                CaseFolding.append(scalar.value, to: &folded)
            }
            guard !folded.allSatisfy({ TextNormalizer.isInert($0) }) else {
                for value in folded where hasRoom { appendScalar(value) }
                return
            }
        } else {
            normalizer.normalize(text, limit: Self.lookedScalars)
            for value in normalizer.output { CaseFolding.append(value, to: &folded) }
        }
        normalizer.normalize(folded, limit: Self.lookedScalars)
        appendOutput()
    }

    private mutating func appendOutput() {
        for value in normalizer.output where hasRoom { appendScalar(value) }
    }

    private mutating func appendScalar(_ value: UInt32) {
        if value < 0x80 {
            appendEscaped(UInt8(truncatingIfNeeded: value))
        } else if let scalar = Unicode.Scalar(value) {
            for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                appendByte(unit)
            }
        }
    }

    private mutating func appendDigits(of text: String) {
        for scalar in text.unicodeScalars where hasRoom {
            if scalar.isASCII {
                if 0x30...0x39 ~= scalar.value { appendByte(UInt8(scalar.value)) }
            } else if scalar.properties.numericType == .decimal,
                let number = scalar.properties.numericValue, 0...9 ~= number
            {
                appendByte(0x30 + UInt8(number))
            }
        }
    }
}

// MARK: - Numbers in texts

extension OrderedKeyBuilder {
    /// A run of digits becomes `0`, the count of its digits without leading zeros, and these digits,
    /// so that runs compare by value, and with other bytes as a digit does: no other byte of the
    /// first level is a digit. The second level, if there is any, has the counts of leading zeros.
    private mutating func appendNumeric(_ text: inout String, isPrefix: Bool) {
        var bytes: [UInt8] = []
        if !text.withUTF8({ TextNormalizer.isInert($0) }) {
            normalizer.normalize(text)
            for value in normalizer.output {
                if let scalar = Unicode.Scalar(value) { bytes += UTF8.encode(scalar) ?? .init() }
            }
        }
        let zeros =
            bytes.isEmpty
            ? text.withUTF8 { appendRuns(UnsafeRawBufferPointer($0)) }
            : bytes.withUnsafeBytes { appendRuns($0) }
        guard !isPrefix, zeros.contains(where: { $0 > 0 }) else { return }
        appendByte(KeyEscape.escape)
        appendByte(KeyEscape.separator)
        for count in zeros { appendCount(count) }
    }

    /// Appends the first level. Returns the leading zeros of each run, up to the last one with any.
    private mutating func appendRuns(_ bytes: UnsafeRawBufferPointer) -> [Int] {
        var zeros: [Int] = []
        var withoutZeros = 0
        var offset = 0
        while offset < bytes.count, hasRoom {
            guard 0x30...0x39 ~= bytes[offset] else {
                appendEscaped(bytes[offset])
                offset += 1
                continue
            }
            let start = offset
            while offset < bytes.count, bytes[offset] == 0x30 { offset += 1 }
            let first = offset
            while offset < bytes.count, 0x30...0x39 ~= bytes[offset] { offset += 1 }
            appendByte(0x30)
            appendCount(offset - first)
            appendEscaped(UnsafeRawBufferPointer(rebasing: bytes[first..<offset]))
            // The run "0" has a leading zero as others have, which says nothing then.
            let count = first - start - (first == offset ? 1 : 0)
            if count == 0 {
                withoutZeros += 1
            } else {
                zeros += repeatElement(0, count: withoutZeros)
                zeros.append(count)
                withoutZeros = 0
            }
        }
        return zeros
    }

    /// Appends a count from 0 as bytes from 2 on: 0xFF for each 253, and the rest.
    private mutating func appendCount(_ count: Int) {
        var rest = count
        while rest >= 253, hasRoom {
            appendByte(0xFF)
            rest -= 253
        }
        appendByte(UInt8(truncatingIfNeeded: rest) &+ 2)
    }
}

extension OrderedKeyBuilder {
    /// Appends the text whose UTF-8 is `bytes`, repaired if damaged; `nil` counts as empty.
    mutating func append(utf8 bytes: UnsafeRawBufferPointer?, collation: Collation) {
        let bytes = bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
        switch collation.method {
        case .binary, .unicode:
            appendByte(KeyTag.text)
            if appendPlain(bytes, lowercased: false) { return appendByte(KeyEscape.end) }
        case .caseInsensitive:
            appendByte(KeyTag.collated)
            if appendPlain(bytes, lowercased: true) { return appendByte(KeyEscape.end) }
        default: appendByte(KeyTag.collated)
        }
        appendContent(of: String(decoding: bytes, as: UTF8.self), collation: collation)
        appendByte(KeyEscape.end)
    }
}
