import CLibrary
import CabinetBackend

@testable import CabinetTokyo

/// One entry of a run, as a test knows it.
struct ModelEntry: Hashable {
    var key: [UInt8]
    /// `nil`: a delete.
    var value: [UInt8]?
    var weight: Int
}

/// What a run holds, in a sorted array: what reading is compared with.
struct RunModel {
    var entries: [ModelEntry] = []

    /// How many entries are before `key`.
    func position(_ key: [UInt8]) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key.lexicographicallyPrecedes(key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    func find(_ key: [UInt8]) -> ModelEntry? {
        let position = position(key)
        return position < entries.count && entries[position].key == key ? entries[position] : nil
    }

    func rank(_ key: [UInt8]) -> Int {
        entries[..<position(key)].reduce(0) { $0 + $1.weight }
    }

    /// Of keys in any order: sorted, each once, with kinds and values by chance.
    init(keys: [[UInt8]], random: inout ModelRandom, longestValue: Int = 12) {
        let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
        for key in sorted where entries.last?.key != key {
            let kind = random.below(4)
            let value = random.bytes(kind == 1 ? random.below(longestValue + 1) : 0)
            entries.append(
                kind == 3
                    ? ModelEntry(key: key, value: nil, weight: -1)
                    : ModelEntry(key: key, value: value, weight: random.below(2)))
        }
    }

    init(entries: [ModelEntry] = []) { self.entries = entries }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct ModelRandom: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }
}

/// Keys of one kind, by chance: what a test is repeated over.
enum KeyKind: CaseIterable, Sendable {
    /// As an index has: a common front, a counter and a row.
    case titles
    /// Of different lengths, with few different bytes, so that many share much.
    case crowded
    /// Of any bytes.
    case noise
    /// Some longer than a block.
    case long
    /// All keys of up to some bytes: each is the front of others.
    case fronts

    func keys(_ count: Int, _ random: inout ModelRandom) -> [[UInt8]] {
        (0..<count).map { number in
            switch self {
            case .titles:
                let digits = String(1_000_000 + random.below(count * 2)).utf8.dropFirst()
                return Array("Test Song 000".utf8) + digits + [0, 0, 1, UInt8(number & 3)]
            case .crowded:
                return (0..<random.below(40)).map { _ in UInt8(97 + random.below(2)) }
            case .noise:
                return (0..<random.below(12)).map { _ in
                    UInt8(truncatingIfNeeded: random.next())
                }
            case .long:
                let length = random.below(20) == 0 ? random.below(50_000) : random.below(300)
                let tail = (0..<5).map { _ in UInt8(random.below(256)) }
                return [UInt8](repeating: UInt8(random.below(3)), count: length) + tail
            case .fronts:
                return [UInt8](repeating: UInt8(random.below(2)), count: random.below(count))
            }
        }
    }
}

/// Writes the entries of a model as a run of the commits after `from` up to `to`.
@discardableResult
func writeRun(
    _ model: RunModel, _ path: String, files: any FileLayer = SystemFiles(),
    identity: RunIdentity = RunIdentity(store: 77, table: 5),
    span: CommitSpan = CommitSpan(from: 3, to: 9), blockLimit: Int = RunBlock.usualSize,
    number: UInt64 = 1
) throws -> RunFile {
    let writer = try RunWriter(
        files: files, path: path, identity: identity, blockLimit: blockLimit, number: number)
    for entry in model.entries { try writer.append(entry) }
    let file = try writer.finish(span)
    try writer.sync()
    return file
}

extension RunWriter {
    func append(_ entry: ModelEntry) throws(BackendError) {
        let result = entry.key.withUnsafeBytes { key in
            Result { () throws(BackendError) in
                guard let value = entry.value else {
                    return try append(key, value: nil, weight: Int8(entry.weight))
                }
                let inner = value.withUnsafeBytes { value in
                    Result { () throws(BackendError) in
                        try append(key, value: value, weight: Int8(entry.weight))
                    }
                }
                try inner.get()
            }
        }
        try result.get()
    }
}

extension LayerCursor {
    /// What the cursor is at.
    var entry: ModelEntry? {
        guard isAtEntry else { return nil }
        return ModelEntry(
            key: Array(key), value: isDelete ? nil : Array(value), weight: Int(weight))
    }

    func seek(to key: [UInt8]) throws(BackendError) {
        let result = key.withUnsafeBytes { key in
            Result { () throws(BackendError) in try seek(key) }
        }
        try result.get()
    }

    func seekBack(before key: [UInt8]) throws(BackendError) {
        let result = key.withUnsafeBytes { key in
            Result { () throws(BackendError) in try seekBack(key) }
        }
        try result.get()
    }
}

extension Run {
    func found(_ key: [UInt8]) throws(BackendError) -> ModelEntry? {
        let result = key.withUnsafeBytes { bytes in
            Result { () throws(BackendError) -> ModelEntry? in
                switch try find(bytes) {
                case .absent: nil
                case .delete: ModelEntry(key: key, value: nil, weight: -1)
                case .value(let value): ModelEntry(key: key, value: Array(value), weight: 0)
                }
            }
        }
        return try result.get()
    }

    func rank(_ key: [UInt8]) throws(BackendError) -> Int {
        let result = key.withUnsafeBytes { key in
            Result { () throws(BackendError) in try rank(of: key) }
        }
        return try result.get()
    }

    /// All entries, from front to back.
    func contents() throws(BackendError) -> [ModelEntry] {
        let cursor = try cursor()
        var entries: [ModelEntry] = []
        try cursor.seek(nil)
        while let entry = cursor.entry {
            entries.append(entry)
            try cursor.next()
        }
        return entries
    }

    /// All entries, from back to front.
    func contentsBackward() throws(BackendError) -> [ModelEntry] {
        let cursor = try cursor()
        var entries: [ModelEntry] = []
        try cursor.seekBack(nil)
        while let entry = cursor.entry {
            entries.append(entry)
            try cursor.previous()
        }
        return entries
    }
}

/// A directory of a test's own, removed with what is in it.
final class RunDirectory {
    let path: String

    init() {
        var template = Array(
            "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/runs-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { preconditionFailure("no directory") }
        path = String(cString: made)
    }

    func file(_ name: String) -> String { path + "/" + name }

    deinit {
        for name in (try? SystemFiles().list(path)) ?? [] { unlink(file(name)) }
        rmdir(path)
    }
}
