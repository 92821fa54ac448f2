import CabinetBackend
import CabinetTokyo

/// An ordered table of a store on disk beside what it should hold: random puts, deletes, ranges,
/// ranks, walks that stay behind, runs written and merged, compactions, closings and crashes, all
/// chosen by a seed.
package final class OrderedModel {
    /// What was found to be otherwise.
    package struct Difference: Error, CustomStringConvertible {
        package var description: String
    }

    /// A walk that has begun, and what it must go on to give.
    struct Walk {
        var cursor: any EntryCursor
        var rest: ArraySlice<[UInt8]>
    }

    let table = TableNumber(2)
    let directory: ScratchDirectory
    var random: SeededRandom
    var backend: TokyoBackend
    /// All keys in their order, and what is stored under them.
    var keys: [[UInt8]] = []
    var values: [[UInt8]: [UInt8]] = [:]
    var walks: [Walk] = []
    private var generation = 0
    /// How many steps were made.
    package private(set) var steps = 0

    package init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        directory = ScratchDirectory()
        backend = try TokyoBackend(path: directory.file("store-0"), durability: .process)
        let batch = backend.makeBatch()
        try batch.define(TableDefinition(number: table, kind: .ordered, name: "Keys"))
        try backend.commit(batch)
    }

    deinit { try? backend.close() }

    /// Does one thing, and looks whether the table is right.
    package func step() throws {
        steps += 1
        switch random.below(100) {
        case 0..<40: try commit(1 + random.below(12))
        case 40..<44: try commit(200 + random.below(2000))
        case 44: try commit(20_000 + random.below(20_000))
        case 45..<52: backend.settle(table, evenIfSmall: true)
        case 52..<54: try reopen()
        case 54..<56: try crash()
        case 56: try backend.compact()
        case 57..<64: try beginWalk()
        case 64..<72: try goOn()
        case 72..<80: try compareRange()
        case 80..<90: try compareRank()
        default: try compareValue()
        }
    }

    /// Compares everything.
    package func compareAll() throws {
        try expect(backend.count(of: table) == keys.count, "count \(keys.count)")
        try compare(KeyRange.everything, descending: false)
        try compare(KeyRange.everything, descending: true)
    }

    /// A key of a space that grows with the steps, so that keys are met again and new ones come.
    func someKey() -> [UInt8] {
        let number = random.below(400 + steps * 40)
        switch random.below(10) {
        case 0: return [UInt8](repeating: 0, count: number % 40)
        case 1: return [UInt8](repeating: 255, count: number % 40) + [UInt8(number % 256)]
        case 2: return Array("Test Song ".utf8)
        default: return Array("Test Song \(number)".utf8) + [0, UInt8(number % 3)]
        }
    }

    private func commit(_ changes: Int) throws {
        let batch = backend.makeBatch()
        for _ in 0..<changes {
            let key = someKey()
            if random.once(in: 3) {
                if changes < 50 { forget(key) }
                try key.withUnsafeBytes { try batch.deleteKey($0, in: table) }
                values[key] = nil
            } else {
                if changes < 50 { note(key) }
                let value = [UInt8](repeating: UInt8(random.below(256)), count: random.below(6))
                try key.withUnsafeBytes { key in
                    try value.withUnsafeBytes { try batch.put($0, for: key, in: table) }
                }
                values[key] = value
            }
        }
        try backend.commit(batch)
        if changes >= 50 { keys = values.keys.sorted { $0.lexicographicallyPrecedes($1) } }
    }

    private func note(_ key: [UInt8]) {
        if values[key] == nil { keys.insert(key, at: place(of: key)) }
    }

    private func forget(_ key: [UInt8]) {
        if values[key] != nil { keys.remove(at: place(of: key)) }
    }

    private func reopen() throws {
        walks = []
        let path = backend.location
        try backend.close()
        backend = try TokyoBackend(path: path, durability: .process)
        try compareAll()
    }

    /// Goes on with a copy of the directory as it stands, as a power cut after a sync would leave
    /// it.
    private func crash() throws {
        walks = []
        try backend.sync()
        generation += 1
        let path = directory.file("store-\(generation)")
        try Self.copy(backend.location, to: path)
        let old = backend.location
        try backend.close()
        ScratchDirectory.remove(old)
        backend = try TokyoBackend(path: path, durability: .process)
        try compareAll()
    }

    private static func copy(_ path: String, to newPath: String) throws {
        let files = SystemFiles()
        try files.makeDirectory(newPath)
        for name in try files.list(path) {
            let (inner, copy) = (path + "/" + name, newPath + "/" + name)
            guard let status = try files.status(of: inner) else { continue }
            if status.isDirectory {
                try Self.copy(inner, to: copy)
                continue
            }
            let file = try files.open(inner, for: .reading)
            let bytes = UnsafeMutableRawBufferPointer.allocate(
                byteCount: Int(status.size), alignment: 8)
            defer { bytes.deallocate() }
            let count = try files.read(file, at: 0, into: bytes)
            let new = try files.open(copy, for: .replacing)
            try files.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: new, at: 0)
        }
    }

    func expect(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
        guard !isRight else { return }
        throw Difference(description: "after \(steps) steps: \(what())")
    }
}
