#if Encryption
    import CabinetBackend
    import Foundation
    import Testing
    import TrustSupport

    @testable import CabinetTokyo

    struct NonceTests {
        private static let key = StoreKey.raw(Array(1...32))

        /// Notes the nonce of each piece that is sealed.
        private final class NotingSealer: Sealer {
            private let own: SodiumSealer
            let nonces = Guarded<[[UInt8]]>([])

            init(_ own: SodiumSealer) { self.own = own }

            func seal(
                _ bytes: UnsafeRawBufferPointer, boundTo binding: UnsafeRawBufferPointer,
                to target: UnsafeMutableRawPointer
            ) {
                own.seal(bytes, boundTo: binding, to: target)
                let nonce = UnsafeRawBufferPointer(start: target, count: SealedPiece.nonceSize)
                nonces.withLock { $0.append(Array(nonce)) }
            }

            func open(
                _ piece: UnsafeRawBufferPointer, boundTo binding: UnsafeRawBufferPointer,
                to target: UnsafeMutableRawPointer
            ) -> Bool {
                own.open(piece, boundTo: binding, to: target)
            }

            func code(of name: UnsafeRawBufferPointer, in table: TableNumber) -> NameCode {
                own.code(of: name, in: table)
            }

            var lostKey: BackendError? { own.lostKey }
        }

        /// A directory and its copy that both go on, killed or closed.
        @Test func noNonceComesTwiceInCopiesOfADirectory() async throws {
            let scene = SealedScene(Self.key, seed: RunSetting.seed)
            let backend = try scene.open()
            try scene.begin(backend)
            try scene.change(backend, 20)
            try backend.close()
            try FileManager.default.copyItem(
                atPath: scene.path, toPath: scene.directory.file("Copy"))
            var nonces: Set<[UInt8]> = []
            var count = 0
            for round in 0..<6 {
                for name in ["Store", "Copy"] {
                    let path = StorePaths(root: scene.directory.file(name)).key
                    let file = try #require(try KeyFile.read(path, SystemFiles()))
                    let sealer = NotingSealer(SodiumSealer(try file.keys(Self.key, path: path)))
                    try await { () async throws in
                        let backend = try scene.open(
                            name, through: SealedFiles(SystemFiles(), sealer))
                        // The same of both.
                        let batch = backend.makeBatch()
                        for row in RowID(2)...50 {
                            batch.beginRecord(row, in: 2).writeUInt32(UInt32(round))
                            try batch.endRecord()
                        }
                        try backend.commit(batch)
                        if round.isMultiple(of: 2) { try await backend.compact() }
                        if round.isMultiple(of: 3) { try backend.close() }
                    }()
                    let made = sealer.nonces.withLock { $0 }
                    count += made.count
                    nonces.formUnion(made)
                }
            }
            #expect(count > 12 * 50)
            #expect(nonces.count == count)
        }
    }
#endif
