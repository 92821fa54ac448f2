import CabinetMemory
import Foundation
import Synchronization
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What the versions of ``Slots`` say of their fields' past.
private enum Past {
    // Not of the task: indexes are built on a thread of their own.
    static let names = Mutex<[String: [String]]>([:])
    static func of(_ name: String) -> FormerNames {
        FormerNames(names.withLock { $0[name] } ?? [])
    }
}

/// One class with the fields that a version has.
private class Slots: StoredObject {
    override class var storageName: String { "Slots" }
    func value(_ name: String) -> Int? { nil }
    func set(_ name: String, _ value: Int) {}
    class func count(_ value: Int, in store: Store) throws -> Int? { nil }
}

private final class SlotsA: Slots {
    @Field(was: Past.of("a")) var a: Int?
    override class var indexes: [Index] { [.ordered(\SlotsA.a)] }
    override class func count(_ value: Int, in store: Store) throws -> Int? {
        try store.count(of: SlotsA.self, where: #Predicate { $0.a == value })
    }
    override func value(_ name: String) -> Int? {
        a
    }
    override func set(_ name: String, _ value: Int) {
        a = value
    }
}

private final class SlotsB: Slots {
    @Field(was: Past.of("b")) var b: Int?
    override func value(_ name: String) -> Int? {
        b
    }
    override func set(_ name: String, _ value: Int) {
        b = value
    }
}

private final class SlotsC: Slots {
    @Field(was: Past.of("c")) var c: Int?
    override func value(_ name: String) -> Int? {
        c
    }
    override func set(_ name: String, _ value: Int) {
        c = value
    }
}

private final class SlotsAB: Slots {
    @Field(was: Past.of("a")) var a: Int?
    @Field(was: Past.of("b")) var b: Int?
    override class var indexes: [Index] { [.ordered(\SlotsAB.a)] }
    override class func count(_ value: Int, in store: Store) throws -> Int? {
        try store.count(of: SlotsAB.self, where: #Predicate { $0.a == value })
    }
    override func value(_ name: String) -> Int? {
        switch name {
        case "a": a
        default: b
        }
    }
    override func set(_ name: String, _ value: Int) {
        switch name {
        case "a": a = value
        default: b = value
        }
    }
}

private final class SlotsAC: Slots {
    @Field(was: Past.of("a")) var a: Int?
    @Field(was: Past.of("c")) var c: Int?
    override class var indexes: [Index] { [.ordered(\SlotsAC.a)] }
    override class func count(_ value: Int, in store: Store) throws -> Int? {
        try store.count(of: SlotsAC.self, where: #Predicate { $0.a == value })
    }
    override func value(_ name: String) -> Int? {
        switch name {
        case "a": a
        default: c
        }
    }
    override func set(_ name: String, _ value: Int) {
        switch name {
        case "a": a = value
        default: c = value
        }
    }
}

private final class SlotsBC: Slots {
    @Field(was: Past.of("b")) var b: Int?
    @Field(was: Past.of("c")) var c: Int?
    override func value(_ name: String) -> Int? {
        switch name {
        case "b": b
        default: c
        }
    }
    override func set(_ name: String, _ value: Int) {
        switch name {
        case "b": b = value
        default: c = value
        }
    }
}

private final class SlotsABC: Slots {
    @Field(was: Past.of("a")) var a: Int?
    @Field(was: Past.of("b")) var b: Int?
    @Field(was: Past.of("c")) var c: Int?
    override class var indexes: [Index] { [.ordered(\SlotsABC.a)] }
    override class func count(_ value: Int, in store: Store) throws -> Int? {
        try store.count(of: SlotsABC.self, where: #Predicate { $0.a == value })
    }
    override func value(_ name: String) -> Int? {
        switch name {
        case "a": a
        case "b": b
        default: c
        }
    }
    override func set(_ name: String, _ value: Int) {
        switch name {
        case "a": a = value
        case "b": b = value
        default: c = value
        }
    }
}

/// Stores whose class has a random history, with records of every version, of which each version rewrites
/// some.
struct RandomRenamesTests {
    private static let types: [String: Slots.Type] = [
        "a": SlotsA.self, "b": SlotsB.self, "c": SlotsC.self, "ab": SlotsAB.self,
        "ac": SlotsAC.self, "bc": SlotsBC.self, "abc": SlotsABC.self,
    ]

    /// The values of each record by field, whatever it is called.
    private typealias Model = [RowID: [Int: Int]]

    private func use(
        _ version: FieldHistory.Version, _ bench: SchemaBench, _ model: inout Model,
        _ random: inout SeededRandom
    ) throws -> Store {
        let type = try #require(Self.types[version.fields.keys.sorted().joined()])
        let store = try bench.open([type])
        if random.below(2) == 0 { try store.indexes.build() }
        let names = version.fields.keys.sorted()
        for (row, values) in model.sorted(by: { $0.key < $1.key }) {
            let object = try #require(try store.object(type, rowID: row))
            for name in names {
                #expect(object.value(name) == version.fields[name].flatMap { values[$0] })
            }
        }
        if let field = version.fields["a"] {
            for value in 0..<4 {
                let wanted = model.values.filter { $0[field] == value }.count
                #expect(try type.count(value, in: store) == wanted)
            }
        }
        for _ in 0..<2 {
            let object = type.init()
            store.insert(object)
            model[object.rowID] = [:]
            change(object, version, &model, &random)
        }
        let rows = model.keys.sorted()
        let old = rows[random.below(rows.count)]
        change(try #require(try store.object(type, rowID: old)), version, &model, &random)
        try store.save()
        return store
    }

    /// Of fields that the version lacks, the record has nothing when it is saved.
    private func change(
        _ object: Slots, _ version: FieldHistory.Version, _ model: inout Model,
        _ random: inout SeededRandom
    ) {
        let name = version.fields.keys.sorted()[random.below(version.fields.count)]
        guard let field = version.fields[name] else { return }
        let value = random.below(4)
        if object.value(name) == value { return }
        object.set(name, value)
        model[object.rowID]?[field] = value
        model[object.rowID] = model[object.rowID]?.filter {
            version.fields.values.contains($0.key)
        }
    }

    @Test func recordsOfEveryVersionAreReadByEveryLaterOne() async throws {
        var refusals = 0
        for seed in 1...UInt64(RunSetting.repetitions(150)) {
            var random = SeededRandom(seed: RunSetting.seed &* 77 &+ seed)
            let history = FieldHistory(names: ["a", "b", "c"], count: 6, &random)
            let bench = SchemaBench()
            var model: Model = [:]
            let skip = random.below(3)
            var last: Store?
            for (number, version) in history.versions.enumerated() {
                if number > 0, random.below(3) < skip { continue }
                var names: [String: [String]] = [:]
                for (name, field) in version.fields {
                    names[name] = Array((version.past[field] ?? []).dropFirst())
                }
                do {
                    Past.names.withLock { $0 = names }
                    last = try use(version, bench, &model, &random)
                } catch StoreError.unclearFields {
                    #expect(skip > 0, "seed \(seed), version \(number): \(history.versions)")
                    refusals += 1
                    break
                }
            }
            #expect(try await last?.check().isSound == true, "seed \(seed)")
        }
        #expect(refusals < 60)
    }
}
