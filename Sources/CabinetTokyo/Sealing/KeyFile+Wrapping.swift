#if Encryption
    import CLibrary
    import CSodium
    import CabinetBackend

    extension KeyFile {
        /// What a user's key and a salt make: the key that wraps those of a store.
        struct Wrapper: Sendable {
            let secret: Secret
            let cost: PassphraseCost?
            let salt: [UInt8]
        }

        /// A file of `keys`, wrapped.
        ///
        /// - Throws: ``BackendError/system(operation:path:code:)`` for want of memory.
        init(_ keys: DataKeys, in wrapper: Wrapper, path: String) throws(BackendError) {
            guard let plain = keys.encoded() else { throw Self.noMemory(path) }
            let rest = plain.count + SealedPiece.overhead
            let head = Self.head(wrapper.cost, salt: wrapper.salt, rest: rest)
            var piece = [UInt8](repeating: 0, count: rest)
            randombytes_buf(&piece, SealedPiece.nonceSize)
            let nonce = Array(piece[..<SealedPiece.nonceSize])
            piece.withUnsafeMutableBufferPointer { piece in
                guard let base = piece.baseAddress else { return }
                _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                    base + SealedPiece.nonceSize, nil, plain.address, UInt64(plain.count), head,
                    UInt64(head.count), nil, nonce, wrapper.secret.address)
            }
            bytes = head + piece
            bytes.append(littleEndian: bytes.withUnsafeBytes { $0.checksum() })
        }

        /// The keys in the file at `path`.
        ///
        /// - Throws: as ``keys(in:path:)`` and ``Wrapper/init(_:of:path:)``.
        func keys(_ key: StoreKey, path: String) throws(BackendError) -> DataKeys {
            try keys(in: Wrapper(key, of: self, path: path), path: path)
        }

        /// The keys in the file at `path`.
        ///
        /// - Throws: ``BackendError/wrongKey(path:)`` if another key has wrapped them,
        ///   ``BackendError/corrupt(path:offset:)``.
        func keys(in wrapper: Wrapper, path: String) throws(BackendError) -> DataKeys {
            let head = Array(bytes[..<Self.headSize])
            let piece = Array(bytes[Self.headSize..<bytes.count - 4])
            let nonce = Array(piece[..<SealedPiece.nonceSize])
            let sealed = Array(piece[SealedPiece.nonceSize...])
            var isRight = false
            let plain = Secret(count: piece.count - SealedPiece.overhead) { memory in
                isRight =
                    crypto_aead_xchacha20poly1305_ietf_decrypt(
                        memory.assumingMemoryBound(to: UInt8.self), nil, nil, sealed,
                        UInt64(sealed.count), head, UInt64(head.count), nonce,
                        wrapper.secret.address) == 0
                return true
            }
            guard let plain else { throw Self.noMemory(path) }
            guard isRight else { throw .wrongKey(path: path) }
            guard let keys = DataKeys(plain) else {
                throw .corrupt(path: path, offset: UInt64(Self.headSize))
            }
            return keys
        }

        static func noMemory(_ path: String) -> BackendError {
            .system(operation: "sodium_malloc", path: path, code: ENOMEM)
        }
    }

    extension KeyFile.Wrapper {
        /// Of a new salt.
        ///
        /// - Throws: ``BackendError/wrongKey(path:)`` for what is no key, ``BackendError/keyNeeded(path:)`` for
        ///   a provider that gives none, ``BackendError/system(operation:path:code:)`` for want of memory.
        init(_ key: StoreKey, path: String) throws(BackendError) {
            let form = try key.resolved(path)
            var salt = [UInt8](repeating: 0, count: KeyFile.saltSize)
            randombytes_buf(&salt, salt.count)
            try self.init(form, form.cost, salt, path)
        }

        /// As `file` says that it was made.
        ///
        /// - Throws: likewise, and ``BackendError/corrupt(path:offset:)``.
        init(_ key: StoreKey, of file: KeyFile, path: String) throws(BackendError) {
            let form = try key.resolved(path)
            guard let cost = file.cost else { throw .corrupt(path: path, offset: 12) }
            try self.init(form, cost, Array(file.bytes[32..<48]), path)
        }

        /// A key of another kind than the file says is another one.
        private init(
            _ form: StoreKey.Form, _ cost: PassphraseCost?, _ salt: [UInt8], _ path: String
        ) throws(BackendError) {
            let size = DataKeys.keySize
            let user: Secret?
            switch (form, cost) {
            case (.raw(let bytes), nil) where bytes.count == size:
                user = Secret(count: size) { memory in
                    bytes.withUnsafeBytes {
                        if let base = $0.baseAddress {
                            memory.copyMemory(from: base, byteCount: size)
                        }
                    }
                    return true
                }
            case (.passphrase(let text, _), let cost?):
                guard cost.isPossible else { throw .wrongKey(path: path) }
                var utf8 = text.utf8.map { CChar(bitPattern: $0) }
                defer { sodium_memzero(&utf8, utf8.count) }
                user = Secret(count: size) { memory in
                    crypto_pwhash(
                        memory.assumingMemoryBound(to: UInt8.self), UInt64(size), utf8,
                        UInt64(utf8.count), salt, UInt64(cost.passes), Int(cost.memory),
                        crypto_pwhash_ALG_ARGON2ID13) == 0
                }
            default: throw .wrongKey(path: path)
            }
            guard let user else { throw KeyFile.noMemory(path) }
            let purpose = Array("Cabinet key".utf8) + salt
            let wrapper = Secret(count: size) { memory in
                crypto_generichash(
                    memory.assumingMemoryBound(to: UInt8.self), size, purpose,
                    UInt64(purpose.count), user.address, size) == 0
            }
            guard let wrapper else { throw KeyFile.noMemory(path) }
            self.init(secret: wrapper, cost: cost, salt: salt)
        }
    }

    extension StoreKey {
        /// What the key is, a provider asked.
        fileprivate func resolved(_ path: String) throws(BackendError) -> Form {
            guard case .provider(let body) = form else { return form }
            guard let given = body()?.form else { throw .keyNeeded(path: path) }
            if case .provider = given { throw .keyNeeded(path: path) }
            return given
        }
    }

    extension StoreKey.Form {
        /// What a new file says that making the key takes; `nil`: the key is bytes.
        fileprivate var cost: PassphraseCost? {
            if case .passphrase(_, let cost) = self { cost } else { nil }
        }
    }
#endif
