#if Encryption
    import CSodium

    /// The keys by which a store is sealed: one for names, and those for data, by their numbers.
    ///
    /// As bytes: UInt32 how many, then for each UInt32 number and 32 bytes; the number 0 is that of the key for
    /// names. The data key with the highest number seals; all of them open.
    struct DataKeys: Sendable {
        static let keySize = Int(crypto_aead_xchacha20poly1305_IETF_KEYBYTES)
        private static let entrySize = 4 + keySize
        /// More than any store has: one is added with each change of the data key, and then removed.
        private static let most = 16

        let names: Secret
        /// By rising numbers.
        let data: [(number: UInt32, key: Secret)]

        /// Random keys.
        init?() {
            guard let names = Secret.random(count: Self.keySize),
                let key = Secret.random(count: Self.keySize)
            else { return nil }
            self.names = names
            data = [(1, key)]
        }

        init(names: Secret, data: [(number: UInt32, key: Secret)]) {
            self.names = names
            self.data = data
        }

        /// With one more, which is to seal. `nil`: there is no memory for it.
        func withNewKey() -> DataKeys? {
            guard let last = data.last, let key = Secret.random(count: Self.keySize) else {
                return nil
            }
            return DataKeys(names: names, data: data + [(last.number + 1, key)])
        }

        var withNewestOnly: DataKeys { DataKeys(names: names, data: data.suffix(1)) }

        /// The keys as bytes.
        func encoded() -> Secret? {
            let entries = [(UInt32(0), names)] + data.map { ($0.number, $0.key) }
            return Secret(count: 4 + entries.count * Self.entrySize) { memory in
                memory.put(UInt32(entries.count), at: 0)
                for (place, (number, key)) in entries.enumerated() {
                    let start = 4 + place * Self.entrySize
                    memory.put(number, at: start)
                    (memory + start + 4).copyMemory(from: key.address, byteCount: Self.keySize)
                }
                return true
            }
        }

        /// The keys in bytes that were sealed. `nil`: they are none, or there is no memory for them.
        init?(_ bytes: Secret) {
            let base = UnsafeRawPointer(bytes.address)
            guard bytes.count >= 4 else { return nil }
            let count = Int(base.get(UInt32.self, at: 0))
            guard (2...Self.most).contains(count), bytes.count == 4 + count * Self.entrySize else {
                return nil
            }
            var entries: [(number: UInt32, key: Secret)] = []
            for place in 0..<count {
                let start = 4 + place * Self.entrySize
                let number = base.get(UInt32.self, at: start)
                guard entries.last.map({ $0.number < number }) ?? (number == 0),
                    let key = Secret(
                        count: Self.keySize,
                        {
                            $0.copyMemory(from: base + start + 4, byteCount: Self.keySize)
                            return true
                        })
                else { return nil }
                entries.append((number, key))
            }
            names = entries[0].key
            data = Array(entries.dropFirst())
        }
    }
#endif
