import Cabinet
import CabinetMemory
import Foundation
import Testing

enum Key: String { case minor, major }
enum Tempo: Int16, Codable {
    case slow = -1
    case fast = 300
}

/// Every width of number, and enums wherever a value may stand.
final class Sampler: StoredObject {
    @Field var uint8: UInt8 = 0
    @Field var uint16: UInt16 = 0
    @Field var uint32: UInt32 = 0
    @Field var uint: UInt = 0
    @Field var uint128: UInt128 = 0
    @Field var int16: Int16 = 0
    @Field var int32: Int32 = 0
    @Field var int64: Int64 = 0
    @Field var int128: Int128 = 0
    @Field var flag: Bool?
    @Field var float: Float?
    @Field var bytes: Data?
    @Field var amount: Decimal?
    @Field var key = Key.minor
    @Field var other: Key?
    @Field var keys: [Key] = []
    @Field var keySet: Set<Key> = []
    @Field var byKey: [Key: Int] = [:]
    @Field var named: [String: Key] = [:]
    @Field var tempo = Tempo.slow
    @Field var tempi: [Tempo] = []
    @Field var maybe: [Tempo?] = []
    @Field var byTempo: [Tempo: [Tempo]] = [:]
    @Field var dates: [Date] = []
    @Field var links: Set<URL> = []
    @Field var table: [UUID: [Decimal?]] = [:]
}

struct FieldKindTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: [Sampler.self]) }

    @Test func everyKindComesBack() throws {
        let id = UUID()
        let store = try open()
        let one = Sampler()
        store.insert(one)
        try store.save()
        one.uint8 = .max
        one.uint16 = .max
        one.uint32 = .max
        one.uint = .max
        one.uint128 = .max
        one.int16 = .min
        one.int32 = .min
        one.int64 = .min
        one.int128 = .min
        one.flag = false
        one.float = -0.0
        one.bytes = Data()
        one.amount = Decimal(string: "0.1")
        one.key = .major
        one.other = .major
        one.keys = [.major, .minor, .major]
        one.keySet.insert(.major)
        one.byKey[.minor] = 7
        one.byKey[.major, default: 1] += 1
        one.named["a"] = .major
        one.tempo = .fast
        one.tempi.append(.fast)
        one.maybe = [nil, .slow]
        one.byTempo = [.slow: [.fast, .slow]]
        one.dates = [Date(timeIntervalSinceReferenceDate: 0.25)]
        one.links = [URL(string: "https://example.org")!]
        one.table = [id: [nil, 1.5]]
        #expect(one.isChanged)
        try store.save()

        let found = try #require(try open().objects(of: Sampler.self).first)
        #expect(found.uint8 == .max && found.uint16 == .max && found.uint32 == .max)
        #expect(found.uint == .max && found.uint128 == .max && found.int16 == .min)
        #expect(found.int32 == .min && found.int64 == .min && found.int128 == .min)
        #expect(found.flag == false && found.float?.sign == .minus && found.bytes == Data())
        #expect(found.amount == one.amount && found.key == .major && found.other == .major)
        #expect(found.keys == [.major, .minor, .major] && found.keySet == [.major])
        #expect(found.byKey == [.minor: 7, .major: 2] && found.named == ["a": .major])
        #expect(found.tempo == .fast && found.tempi == [.fast] && found.maybe == [nil, .slow])
        #expect(found.byTempo == [.slow: [.fast, .slow]] && found.dates == one.dates)
        #expect(found.links == one.links && found.table == [id: [nil, 1.5]])
    }

    /// Enums stand in the record as their raw values do, in collections too, so that a program that
    /// has only the catalog can read them.
    @Test func theCatalogKnowsEnumsByTheirRawValues() throws {
        let store = try open()
        store.insert(Sampler())
        try store.save()
        let fields = try #require(try StoreSchema(backend)[0]).fields
        for (name, type) in [
            ("key", "String"), ("other", "String?"), ("keys", "[String]"),
            ("keySet", "Set<String>"), ("byKey", "[String: Int]"), ("named", "[String: String]"),
            ("tempi", "[Int16]"), ("maybe", "[Int16?]"), ("byTempo", "[Int16: [Int16]]"),
        ] {
            #expect(fields.contains { $0.name == name && $0.type == type }, "\(name)")
        }
    }

    @Test func aRawValueThatNobodyKnowsIsATypedError() throws {
        let store = try open()
        let one = Sampler()
        one.keys = [.major]
        store.insert(one)
        try store.save()
        let table = try #require(try backend.tables().first).number
        let buffer = DataBuffer()
        #expect(try backend.value(of: one.rowID, in: table, into: buffer))
        var bytes = buffer.withUnsafeBytes { Array($0) }
        let place = try #require(bytes.firstRange(of: Array("major".utf8))).lowerBound
        bytes[place] = 0x4D
        let batch = backend.makeBatch()
        let record = batch.beginRecord(one.rowID, in: table)
        bytes.withUnsafeBytes { record.writeRawBytes($0) }
        try batch.endRecord()
        try backend.commit(batch)
        #expect(throws: (any Error).self) { try open().objects(of: Sampler.self) }
        try store.rollback(one)
        #expect(one.keys.isEmpty && one.fetchError is StoreError)
    }
}
