import CRivals

/// One piece of work on a store: what all engines are asked in the same words.
struct Job: Sendable {
    /// Where the store is. The directory exists, and is empty before an insert.
    var directory: String
    /// How many songs (or named buffers) the store holds.
    var objects: UInt32
    /// How many saves or fetches; 0 where the work is all objects.
    var steps: UInt32
    /// Whether a power cut may lose nothing that was acknowledged.
    var isFull = true

    static let seed: UInt64 = 2010

    /// The number of the song that each step is about.
    var choices: Choices { Choices(state: Self.seed, limit: UInt64(objects)) }

    /// A fixed sequence of song numbers, the same as the rivals'.
    struct Choices {
        fileprivate var state: UInt64
        fileprivate let limit: UInt64

        mutating func next() -> UInt32 { UInt32(speed_next(&state) % limit) }
    }
}

/// What a piece of work did.
struct Proof: Hashable, Codable, Sendable {
    /// How many objects were met.
    var count: UInt64 = 0
    /// The sum of what they hold.
    var sum: UInt64 = 0

    mutating func add(_ number: UInt32) {
        count += 1
        sum += UInt64(number)
    }

    static func + (one: Proof, other: Proof) -> Proof {
        Proof(count: one.count + other.count, sum: one.sum + other.sum)
    }
}

/// Work that did not do what it should.
enum SpeedTestError: Error, CustomStringConvertible {
    case rival(String)
    case wrongProof(test: String, engine: Engine, found: Proof, expected: Proof)
    case missing(String)
    case badOption(String)
    case childFailed(String)

    var description: String {
        switch self {
        case .rival(let message): message
        case .wrongProof(let test, let engine, let found, let expected):
            "\(test) on \(engine.rawValue) met \(found.count) objects with the sum \(found.sum); "
                + "\(expected.count) with the sum \(expected.sum) were expected."
        case .missing(let what): "The store has no \(what)."
        case .badOption(let option): "\(option)?"
        case .childFailed(let command): "Failed: \(command)"
        }
    }
}
