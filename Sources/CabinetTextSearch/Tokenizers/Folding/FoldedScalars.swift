/// The folded scalars of a part of a text, each with the bytes that it comes from, in bounded
/// memory. It points into the text.
struct FoldedScalars {
    /// A folded scalar, and the UTF-8 offsets that it stands for, dropped marks behind it included.
    struct Element {
        let value: UInt32
        let range: Range<Int>
    }

    /// A base with more marks than this is folded in parts: what is composed across them stays apart.
    static let clusterLimit = 32

    private let bytes: UnsafeBufferPointer<UInt8>
    private let folding: ScalarFolding
    private var offset: Int
    private let end: Int
    /// What a cluster was folded into and has not been given yet, backwards.
    private var waiting: [Element] = []
    private var cluster: [UInt32] = []
    private var folded: [UInt32] = []
    private var normalizer = TextNormalizer()

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ folding: ScalarFolding
    ) {
        self.bytes = bytes
        self.folding = folding
        offset = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Element? {
        while true {
            if let element = waiting.popLast() { return element }
            guard offset < end else { return nil }
            let start = offset
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: start)
            offset += length
            switch folding.entry(value) {
            case .none: continue
            case .one(let one):
                if !isJoined() { return Element(value: one, range: start..<offset) }
            case .several, .joins: _ = isJoined()
            }
            foldCluster(from: start, value)
        }
    }

    /// Moves past what is dropped; whether a scalar follows that joins what was read.
    private mutating func isJoined() -> Bool {
        while offset < end, bytes[offset] >= 0x80 {
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
            switch folding.entry(value) {
            case .none: offset += length
            case .joins: return true
            case .one, .several: return false
            }
        }
        return false
    }

    private mutating func foldCluster(from start: Int, _ first: UInt32) {
        cluster.removeAll(keepingCapacity: true)
        cluster.append(first)
        while isJoined(), cluster.count < Self.clusterLimit {
            let (value, length) = UTF8Decoding.scalar(in: bytes, at: offset)
            cluster.append(value)
            offset += length
        }
        folded.removeAll(keepingCapacity: true)
        folding.fold(cluster, &normalizer, into: &folded)
        for value in folded.reversed() {
            waiting.append(Element(value: value, range: start..<offset))
        }
    }
}
