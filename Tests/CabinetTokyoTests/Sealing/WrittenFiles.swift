import CabinetBackend
import CabinetTokyo
import TrustSupport

/// Keeps all bytes that were ever written through it, whatever has become of the files: temporary ones, files
/// without a name, what was replaced. What the library writes to mapped files is in these.
final class WrittenFiles: PassingFiles, @unchecked Sendable {
    private let lock = Lock()
    private var pieces: [(path: String, bytes: [UInt8])] = []

    var all: [(path: String, bytes: [UInt8])] { lock.withLock { pieces } }

    private func keep(_ bytes: UnsafeRawBufferPointer, _ path: String) {
        lock.withLock { pieces.append((path, Array(bytes))) }
    }

    override func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        keep(bytes, file.path)
        try super.write(bytes, to: file, at: offset)
    }

    override func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        keep(bytes, "window")
        try super.write(bytes, to: window, at: offset)
    }
}

/// Random bytes that stand in no file by chance.
struct Marks {
    private var random: SeededRandom
    /// The first eight bytes of each.
    private(set) var heads: Set<UInt64> = []

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// 16 bytes, in front of `rest`.
    mutating func next(_ rest: [UInt8] = []) -> [UInt8] {
        let (head, tail) = (random.next(), random.next())
        heads.insert(head)
        return withUnsafeBytes(of: (head, tail), Array.init) + rest
    }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }

    /// How many marks begin in `bytes`.
    func count(in bytes: [UInt8]) -> Int {
        guard bytes.count >= 8 else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            (0...bytes.count - 8).count {
                heads.contains(bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }
}
