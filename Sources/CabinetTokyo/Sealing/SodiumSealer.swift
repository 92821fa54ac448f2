#if Encryption
    import CSodium
    import CabinetBackend
    import Synchronization

    /// Seals by XChaCha20-Poly1305 of libsodium (draft-irtf-cfrg-xchacha-03), with the data keys of a store.
    ///
    /// A nonce is the number of the key (UInt32), 12 random bytes of this object, and a counter (UInt64): so
    /// no nonce comes twice within an object, nor in another process, or in a copy of the directory. A forked
    /// process must not go on with the object: the engine throws there before it writes.
    final class SodiumSealer: Sealer {
        /// What wraps the keys in the file of keys; `nil`: there is none.
        let wrapper: Guarded<KeyFile.Wrapper?>
        private let ring: KeyRing
        private let place: (path: String, files: any FileLayer)?
        private let session: (UInt64, UInt32)
        private let counter = Atomic<UInt64>(0)

        /// - Parameters:
        ///   - wrapper: what has wrapped the keys.
        ///   - path: the file of keys, in which another process may put newer ones.
        init(
            _ keys: DataKeys, _ wrapper: KeyFile.Wrapper? = nil, at path: String? = nil,
            _ files: (any FileLayer)? = nil
        ) {
            self.wrapper = Guarded(wrapper)
            ring = KeyRing(keys)
            place = path.flatMap { path in files.map { (path, $0) } }
            session = (Self.random(), UInt32(truncatingIfNeeded: Self.random()))
        }

        /// Those by which something may be sealed.
        var keys: DataKeys { ring.keys }

        /// Seals by the newest of `keys` from now on.
        func add(_ keys: DataKeys) { ring.add(keys) }

        /// Nothing is sealed any more by other data keys than the newest one.
        func forgetOlder() { ring.forgetOlder() }

        /// A key that another process has added.
        private func laterKey(_ number: UInt32) -> Secret? {
            guard number > ring.current.number, let keys = try? keysOnDisk() else { return nil }
            ring.add(keys)
            return ring[number]
        }

        /// What is in the file of keys now.
        private func keysOnDisk() throws(BackendError) -> DataKeys? {
            guard let place, let wrapper = wrapper.withLock({ $0 }) else { return nil }
            return try KeyFile.read(place.path, place.files)?.keys(in: wrapper, path: place.path)
        }

        var lostKey: BackendError? {
            do throws(BackendError) { _ = try keysOnDisk() } catch {
                if case .wrongKey = error { return error }
            }
            return nil
        }

        private static func random() -> UInt64 {
            var number: UInt64 = 0
            randombytes_buf(&number, MemoryLayout<UInt64>.size)
            return number
        }

        func seal(
            _ bytes: UnsafeRawBufferPointer, boundTo binding: UnsafeRawBufferPointer,
            to target: UnsafeMutableRawPointer
        ) {
            let number = counter.wrappingAdd(1, ordering: .relaxed).oldValue
            let current = ring.current
            target.storeBytes(of: current.number.littleEndian, as: UInt32.self)
            target.storeBytes(of: session.0, toByteOffset: 4, as: UInt64.self)
            target.storeBytes(of: session.1, toByteOffset: 12, as: UInt32.self)
            target.storeBytes(of: number.littleEndian, toByteOffset: 16, as: UInt64.self)
            let nonce = target.assumingMemoryBound(to: UInt8.self)
            // It fails for lengths only that memory has no room for.
            _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                nonce + SealedPiece.nonceSize, nil, bytes.bytesForSodium, UInt64(bytes.count),
                binding.bytesForSodium, UInt64(binding.count), nil, nonce, current.key.address)
        }

        func open(
            _ piece: UnsafeRawBufferPointer, boundTo binding: UnsafeRawBufferPointer,
            to target: UnsafeMutableRawPointer
        ) -> Bool {
            guard piece.count >= SealedPiece.overhead, let base = piece.baseAddress else {
                return false
            }
            let number = UInt32(littleEndian: base.loadUnaligned(as: UInt32.self))
            guard let key = ring[number] ?? laterKey(number) else { return false }
            let nonce = base.assumingMemoryBound(to: UInt8.self)
            return crypto_aead_xchacha20poly1305_ietf_decrypt(
                target.assumingMemoryBound(to: UInt8.self), nil, nil,
                nonce + SealedPiece.nonceSize, UInt64(piece.count - SealedPiece.nonceSize),
                binding.bytesForSodium, UInt64(binding.count), nonce, key.address) == 0
        }

        func code(of name: UnsafeRawBufferPointer, in table: TableNumber) -> NameCode {
            var code: (UInt64, UInt64) = (0, 0)
            let size = 2 + name.count
            withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { room in
                guard let base = room.baseAddress else { return }
                base.put(table.rawValue, at: 0)
                if let bytes = name.baseAddress {
                    (base + 2).copyMemory(from: bytes, byteCount: name.count)
                }
                withUnsafeMutableBytes(of: &code) {
                    guard let target = $0.baseAddress else { return }
                    _ = crypto_generichash(
                        target.assumingMemoryBound(to: UInt8.self), $0.count,
                        UnsafeRawBufferPointer(room).bytesForSodium, UInt64(size),
                        ring.names.address, ring.names.count)
                }
            }
            return NameCode(code.0, code.1)
        }
    }

    extension UnsafeRawBufferPointer {
        /// The bytes as libsodium takes them.
        var bytesForSodium: UnsafePointer<UInt8>? {
            baseAddress?.assumingMemoryBound(to: UInt8.self)
        }
    }
#endif
