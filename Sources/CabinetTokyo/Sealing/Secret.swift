#if Encryption
    import CSodium

    /// The bytes of a key: kept out of the swap file where the system allows it, and wiped when the last
    /// reference goes.
    ///
    /// `@unchecked Sendable`: the bytes are written before ``init(count:_:)`` returns, and only read from then
    /// on.
    final class Secret: @unchecked Sendable {
        private let memory: UnsafeMutableRawPointer
        let count: Int

        /// Has `fill` write the bytes. `nil`: there is no memory for them, or `fill` says so.
        init?(count: Int, _ fill: (UnsafeMutableRawPointer) -> Bool) {
            guard sodium_init() >= 0, let memory = sodium_malloc(count) else { return nil }
            self.memory = memory
            self.count = count
            guard fill(memory) else { return nil }
        }

        // Wipes the memory, too.
        deinit { sodium_free(memory) }

        var address: UnsafePointer<UInt8> {
            UnsafeRawPointer(memory).assumingMemoryBound(to: UInt8.self)
        }

        /// Random bytes.
        static func random(count: Int) -> Secret? {
            Secret(count: count) {
                randombytes_buf($0, count)
                return true
            }
        }
    }
#endif
