import Cabinet
import CabinetTestSupport
import DictionaryEngine
import Testing

/// An engine that knows only what is public keeps every rule, and a store works with it.
struct DictionaryEngineTests {
    static let engine = EngineUnderTest("dictionaries", keepsData: false, features: []) {
        _, access in DictionaryBackend(access: access)
    }

    @Test(arguments: BackendRule.rules(for: engine))
    func keepsRule(_ rule: BackendRule) throws { try rule.check(Self.engine) }

    @Test(arguments: BackendRule.skipped(for: engine))
    func ruleIsAboutAPartThatTheEngineLacks(_ rule: BackendRule) {
        #expect(rule.needsReopening || rule.needsOtherWriters || !rule.features.isEmpty)
    }

    @Test func aStoreWorksWithIt() throws {
        let backend = DictionaryBackend()
        let store = try Store(backend: backend, classes: [Song.self])
        for number in 0..<100 { store.insert(Song(title: "Song \(number)")) }
        try store.save()
        let again = try Store(backend: backend, classes: [Song.self])
        #expect(try again.objects(of: Song.self).count == 100)
        #expect(try Set(again.objects(of: Song.self).map(\.title)).contains("Song 99"))
    }
}

final class Song: StoredObject {
    @Field var title = ""

    convenience init(title: String) {
        self.init()
        self.title = title
    }
}
