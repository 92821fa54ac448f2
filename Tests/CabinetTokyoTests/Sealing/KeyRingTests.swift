#if Encryption
    import Synchronization
    import Testing

    @testable import CabinetTokyo

    struct KeyRingTests {
        @Test func keysAreFoundWhileOthersAreAdded() async throws {
            let names = try #require(Secret.random(count: DataKeys.keySize))
            let data = try (UInt32(1)...300).map { number in
                (number: number, key: try #require(Secret.random(count: DataKeys.keySize)))
            }
            let ring = KeyRing(DataKeys(names: names, data: [data[0]]))
            let wrong = Atomic(0)
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        while ring.current.number < 300 {
                            let current = ring.current
                            let isRight = (1...current.number).allSatisfy {
                                ring[$0] === data[Int($0) - 1].key
                            }
                            if !isRight { wrong.add(1, ordering: .relaxed) }
                            await Task.yield()
                        }
                    }
                }
                for end in 2...300 {
                    // The last one is known already.
                    ring.add(DataKeys(names: names, data: Array(data[end - 2..<end])))
                    if end % 9 == 0 { ring.forgetOlder() }
                    await Task.yield()
                }
            }
            #expect(wrong.load(ordering: .relaxed) == 0)
            #expect(ring[0] == nil && ring[301] == nil)
            #expect(ring.keys.data.map(\.number) == [297, 298, 299, 300])
        }
    }
#endif
