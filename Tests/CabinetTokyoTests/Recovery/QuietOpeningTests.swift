import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

/// What an opening says of a store that is as its last user has closed it.
struct QuietOpeningTests {
    private let directory = ScratchDirectory()
    private var path: String { directory.file("Music") }

    private func open(_ access: Access = .readWrite) throws -> TokyoBackend {
        try TokyoBackend(
            path: path, access: access,
            log: LogSink { level, message in
                // Other tests kill processes, whose copies of views any opening removes.
                if message.hasSuffix("which a killed process had left.") { return }
                if level >= .notice { Issue.record("\(message)") }
            })
    }

    /// A table that nothing was ever written to has no run: each opening said that they were missing.
    /// So it said of one that was defined again after its last change.
    @Test(arguments: RunSetting.seeds(12))
    func aHealthyStoreIsOpenedWithoutAWord(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var names: [TableNumber: String] = [:]
        var keys: [TableNumber: Set<UInt8>] = [:]
        for round in 0..<12 {
            let backend = try open()
            for _ in 0..<random.below(4) {
                let batch = backend.makeBatch()
                // A number below one that was used is none of a new table.
                let number = TableNumber(UInt16(2 + random.below(min(names.count + 1, 4))))
                if names[number] == nil || random.once(in: 4) {
                    names[number] = "Table\(number)x\(random.below(3))"
                    try batch.define(
                        TableDefinition(number: number, kind: .ordered, name: names[number] ?? ""))
                }
                for _ in 0..<(random.once(in: 2) ? 0 : random.below(30)) {
                    let key = UInt8(random.below(40))
                    let isPut = random.once(in: 2)
                    try [key].withUnsafeBytes { bytes throws in
                        if isPut {
                            try batch.put(bytes, for: bytes, in: number)
                        } else {
                            try batch.deleteKey(bytes, in: number)
                        }
                    }
                    if isPut {
                        keys[number, default: []].insert(key)
                    } else {
                        keys[number, default: []].remove(key)
                    }
                }
                try backend.commit(batch)
            }
            if random.once(in: 4) { try await backend.compact() }
            if random.once(in: 3) { #expect(try await backend.check().isSound) }
            try backend.close()
            let reader = try open(.readOnly)
            for number in names.keys {
                #expect(try reader.count(of: number) == keys[number]?.count ?? 0, "round \(round)")
            }
            try reader.close()
        }
    }
}
