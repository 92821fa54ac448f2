#if Encryption
    import Testing

    @testable import CabinetTokyo

    struct KeyRingTests {
        @Test func keysAreFoundWhileOthersAreAdded() async throws {
            let names = try #require(Secret.random(count: DataKeys.keySize))
            let data = try (UInt32(1)...300).map { number in
                (number: number, key: try #require(Secret.random(count: DataKeys.keySize)))
            }
            let ring = KeyRing(DataKeys(names: names, data: [data[0]]))
            let wrong = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var wrong = 0
                        while ring.current.number < 300 {
                            for number in 1...ring.current.number
                            where ring[number] !== data[Int(number) - 1].key {
                                wrong += 1
                            }
                            await Task.yield()
                        }
                        return wrong
                    }
                }
                for end in 2...300 {
                    // The last one is known already.
                    ring.add(DataKeys(names: names, data: Array(data[end - 2..<end])))
                    if end % 9 == 0 { ring.forgetOlder() }
                    await Task.yield()
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
            #expect(ring[0] == nil && ring[301] == nil)
            #expect(ring.keys.data.map(\.number) == [297, 298, 299, 300])
        }
    }
#endif
