/// What opens a sealed store: 32 bytes, a passphrase, or code that gives one of these when it is asked.
///
/// An engine that seals keeps what it derives from a key in memory that is wiped when the store is closed.
/// Copies that the caller and Swift's own types hold (`[UInt8]`, `String`, Foundation's `Data`) are
/// wiped by nobody: give a provider where they should not live longer than the opening.
public struct StoreKey: Sendable {
    package enum Form: Sendable {
        case raw([UInt8])
        case passphrase(String, PassphraseCost)
        case provider(@Sendable () -> StoreKey?)
    }

    package let form: Form

    /// 32 random bytes, which are kept elsewhere. Another number of bytes opens no store
    /// (``BackendError/wrongKey(path:)``).
    public static func raw(_ bytes: [UInt8]) -> StoreKey { StoreKey(form: .raw(bytes)) }

    /// A text, of which Argon2id makes the key.
    ///
    /// - Parameter cost: what that takes for a new store or a new key. A store that is there says what it was.
    public static func passphrase(
        _ text: String, cost: PassphraseCost = .moderate
    ) -> StoreKey {
        StoreKey(form: .passphrase(text, cost))
    }

    /// Code that is asked once when the store is opened. `nil` from it, or another provider, is no key
    /// (``BackendError/keyNeeded(path:)``).
    public static func provider(_ body: @escaping @Sendable () -> StoreKey?) -> StoreKey {
        StoreKey(form: .provider(body))
    }
}

/// What it takes to make a key of a passphrase: for each attempt to guess it, too.
public struct PassphraseCost: Hashable, Sendable {
    /// Passes over the memory, 1 to 1024.
    public var passes: UInt32
    /// In bytes, 8 KiB to 4 GiB.
    public var memory: UInt64

    /// Where a key is made of a cost out of these ranges, ``BackendError/wrongKey(path:)`` is thrown.
    public init(passes: UInt32, memory: UInt64) {
        self.passes = passes
        self.memory = memory
    }

    /// 2 passes over 64 MiB: about 0.1 s.
    public static let interactive = PassphraseCost(passes: 2, memory: 64 << 20)
    /// 3 passes over 256 MiB: about 0.7 s.
    public static let moderate = PassphraseCost(passes: 3, memory: 256 << 20)
    /// 4 passes over 1 GiB: some seconds.
    public static let sensitive = PassphraseCost(passes: 4, memory: 1 << 30)

    /// Whether the numbers are possible.
    package var isPossible: Bool {
        (1...1024).contains(passes) && (8 << 10...4 << 30).contains(memory)
    }
}
