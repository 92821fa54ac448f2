import CabinetBackend

/// What a sealed piece is bound to: of what kind it is, and where it belongs. 32 bytes.
struct SealBinding {
    enum Kind: UInt64 {
        case row = 1
        case name = 2
        case runBlock = 3
        case spilled = 4
        case metadata = 5
    }

    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// - Parameter table: the table that the piece is of; 0 where that says nothing.
    init(
        _ kind: Kind, _ table: TableNumber, _ first: UInt64, _ second: UInt64 = 0,
        _ third: UInt64 = 0
    ) {
        let head = kind.rawValue | UInt64(table.rawValue) << 16
        words = (
            head.littleEndian, first.littleEndian, second.littleEndian, third.littleEndian
        )
    }

    /// A record of a hash file, bound to its key there, of at most 16 bytes.
    init(_ kind: Kind, _ table: TableNumber, fileKey: UnsafeRawBufferPointer) {
        self.init(kind, table, UInt64(fileKey.count))
        withUnsafeMutableBytes(of: &words.2) { $0.copyBytes(from: fileKey.prefix(8)) }
        withUnsafeMutableBytes(of: &words.3) {
            $0.copyBytes(from: fileKey.dropFirst(8).prefix(8))
        }
    }

    var bytes: [UInt8] { withBytes(Array.init) }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words) { body($0) }
    }
}

extension Sealer {
    func seal(
        _ bytes: UnsafeRawBufferPointer, _ binding: SealBinding,
        to target: UnsafeMutableRawPointer
    ) {
        binding.withBytes { seal(bytes, boundTo: $0, to: target) }
    }

    func open(
        _ piece: UnsafeRawBufferPointer, _ binding: SealBinding,
        to target: UnsafeMutableRawPointer
    ) -> Bool {
        binding.withBytes { open(piece, boundTo: $0, to: target) }
    }

    /// For what is read and written as a whole.
    func sealed(_ bytes: [UInt8], boundTo binding: [UInt8]) -> [UInt8] {
        let size = bytes.count + SealedPiece.overhead
        return [UInt8](unsafeUninitializedCapacity: size) { room, count in
            guard let target = UnsafeMutableRawBufferPointer(room).baseAddress else { return }
            bytes.withUnsafeBytes { bytes in
                binding.withUnsafeBytes { seal(bytes, boundTo: $0, to: target) }
            }
            count = size
        }
    }

    /// `nil`: it is not what was sealed.
    func opened(_ piece: [UInt8], boundTo binding: [UInt8]) -> [UInt8]? {
        guard piece.count >= SealedPiece.overhead else { return nil }
        var isRight = false
        let bytes = [UInt8](unsafeUninitializedCapacity: piece.count) { room, count in
            guard let target = UnsafeMutableRawBufferPointer(room).baseAddress else { return }
            isRight = piece.withUnsafeBytes { piece in
                binding.withUnsafeBytes { open(piece, boundTo: $0, to: target) }
            }
            count = isRight ? piece.count - SealedPiece.overhead : 0
        }
        return isRight ? bytes : nil
    }
}

extension FileLayer {
    /// Sees that a file is sealed if the store is, and only then.
    ///
    /// - Throws: ``BackendError/keyNeeded(path:)``; for a file in a sealed store that is not sealed, and so
    ///   was not made by who has the key, ``BackendError/corrupt(path:offset:)``.
    func checkSealing(_ isSealed: Bool, of path: String) throws(BackendError) {
        guard isSealed != (sealer != nil) else { return }
        throw isSealed ? .keyNeeded(path: path) : .corrupt(path: path, offset: 8)
    }
}
