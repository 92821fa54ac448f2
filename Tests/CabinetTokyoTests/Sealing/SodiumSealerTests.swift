#if Encryption
    import CabinetBackend
    import Testing

    @testable import CabinetTokyo

    struct SodiumSealerTests {
        private let sealer: SodiumSealer

        init() throws { sealer = SodiumSealer(try #require(DataKeys())) }

        /// The example of draft-irtf-cfrg-xchacha-03, A.3.1.
        @Test func aPieceIsThatOfThePublishedExample() throws {
            let text =
                "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
                + "the future, sunscreen would be it."
            let sealed = """
                bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4e\
                da7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2\
                383565d3fff921f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49
                """
            let nonce = Array(0x40...0x57) as [UInt8]
            // The nonce begins with the number of the key.
            var keys: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: 1, count: 32)
            keys += nonce[..<4] + Array(0x80...0x9F)
            let secret = try #require(
                Secret(count: keys.count) { memory in
                    keys.withUnsafeBytes {
                        memory.copyMemory(from: $0.baseAddress!, byteCount: keys.count)
                    }
                    return true
                })
            let sealer = SodiumSealer(try #require(DataKeys(secret)))
            let binding = [0x50, 0x51, 0x52, 0x53] + Array(0xC0...0xC7) as [UInt8]
            let piece = nonce + Self.bytes(sealed)
            #expect(sealer.opened(piece, boundTo: binding) == Array(text.utf8))
            for place in piece.indices.dropFirst(4) {
                var changed = piece
                changed[place] ^= 1
                #expect(sealer.opened(changed, boundTo: binding) == nil)
            }
            #expect(sealer.opened(piece, boundTo: binding + [0]) == nil)
        }

        private static func bytes(_ digits: String) -> [UInt8] {
            let values = digits.compactMap { $0.hexDigitValue.map { UInt8($0) } }
            return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
        }

        @Test func noNonceComesTwice() throws {
            // A second sealer of the same keys is another process, or a copy of the directory.
            let keys = sealer.keys
            var nonces: Set<[UInt8]> = []
            for sealer in [sealer, SodiumSealer(keys), SodiumSealer(keys)] {
                for _ in 0..<1000 {
                    let piece = sealer.sealed([], boundTo: [])
                    #expect(piece.count == SealedPiece.overhead)
                    nonces.insert(Array(piece[..<SealedPiece.nonceSize]))
                }
            }
            #expect(nonces.count == 3000)
        }

        @Test(arguments: [0, 1, 31, 4096])
        func whatWasSealedOpensWhereItBelongs(_ size: Int) {
            let bytes = [UInt8](repeating: 9, count: size)
            let piece = sealer.sealed(bytes, boundTo: [1, 2])
            #expect(sealer.opened(piece, boundTo: [1, 2]) == bytes)
            #expect(sealer.opened(piece, boundTo: [1, 3]) == nil)
            #expect(sealer.opened(Array(piece.dropLast()), boundTo: [1, 2]) == nil)
            #expect(sealer.opened([], boundTo: [1, 2]) == nil)
        }

        @Test func aNameHasAnotherCodeInEachTableAndStore() throws {
            let name = Array("name".utf8)
            let other = SodiumSealer(try #require(DataKeys()))
            let codes = name.withUnsafeBytes { name in
                [
                    sealer.code(of: name, in: 0), sealer.code(of: name, in: 1),
                    other.code(of: name, in: 0),
                ]
            }
            #expect(Set(codes).count == 3)
            #expect(name.withUnsafeBytes { sealer.code(of: $0, in: 0) } == codes[0])
        }
    }
#endif
