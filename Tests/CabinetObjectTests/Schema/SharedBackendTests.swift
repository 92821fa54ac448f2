import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Three programs whose class of one name has fields of its own in each.
private enum Base {
    final class Item: StoredObject {
        @Field var title = ""
        @Field var size = 0
    }
}

private enum Left {
    final class Item: StoredObject {
        @Field var title = ""
        @Field var left = "initial"
    }
}

private enum Right {
    final class Item: StoredObject {
        @Field var right = 1.5
        @Field var title = ""
    }
}

/// Saves another store while its own is saved.
private final class Meddler: StoredObject {
    var meddle: (() -> Void)?
    override class var storageName: String { "Meddler" }
    override func writeContent(to buffer: DataBuffer) {
        let meddle = meddle
        self.meddle = nil
        meddle?()
    }
    override func readContent(from buffer: DataBuffer) throws {}
}

/// Where two stores share a backend.
enum SharedEngine: CaseIterable {
    case memory, files

    func open(in directory: TemporaryDirectory) throws -> any Backend {
        switch self {
        case .memory: MemoryBackend()
        case .files: try TokyoBackend(path: directory.path + "/Store", durability: .process)
        }
    }
}

/// Two stores over one backend that save at once what is new to it.
struct SharedBackendTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func firstLayout(in backend: any Backend) throws {
        let store = try Store(backend: backend, classes: [Base.Item.self])
        let item = Base.Item()
        item.title = "base"
        store.insert(item)
        try store.save()
    }

    /// The titles of all records, by their layouts; every program must find the same.
    private func titles(in backend: any Backend) throws -> [UInt8: String] {
        let table = try #require(try backend.tables().first { $0.name == "Item" }).number
        var titles: [UInt8: String] = [:]
        let left = try Store(backend: backend, classes: [Left.Item.self])
        for item in try left.objects(of: Left.Item.self) {
            let buffer = DataBuffer()
            #expect(try backend.value(of: item.rowID, in: table, into: buffer))
            titles[try buffer.readUInt8()] = item.title
            #expect((item.left == "initial") == (item.title != "left"))
        }
        let right = try Store(backend: backend, classes: [Right.Item.self])
        let found = try right.objects(of: Right.Item.self)
        #expect(found.map(\.title).sorted() == titles.values.sorted())
        #expect(found.allSatisfy { ($0.right == 1.5) == ($0.title != "right") })
        withExtendedLifetime((left, right)) {}
        return titles
    }

    private func newItems() -> (left: Left.Item, right: Right.Item) {
        let (left, right) = (Left.Item(), Right.Item())
        (left.title, left.left) = ("left", "set")
        (right.title, right.right) = ("right", 2.5)
        return (left, right)
    }

    @Test(arguments: SharedEngine.allCases)
    func layoutsThatTwoStoresAddAreBothKept(_ engine: SharedEngine) throws {
        let backend = try engine.open(in: directory)
        try firstLayout(in: backend)
        let one = try Store(backend: backend, classes: [Left.Item.self])
        let two = try Store(backend: backend, classes: [Right.Item.self])
        let items = newItems()
        one.insert(items.left)
        two.insert(items.right)
        try two.save()
        try one.save()
        #expect(try titles(in: backend) == [1: "base", 2: "right", 3: "left"])
        let layouts = try #require(try StoreSchema(backend)["Item"]).layouts
        #expect(layouts.map(\.number) == [1, 2, 3])
        #expect(
            layouts.map { $0.fields?.map(\.name) } == [
                ["title", "size"], ["right", "title"], ["title", "left"],
            ])
        withExtendedLifetime((one, two)) {}
    }

    /// The other store adds its layout after this one has chosen its number, and before its commit.
    @Test(arguments: SharedEngine.allCases)
    func aLayoutThatIsAddedDuringASaveGetsANumberOfItsOwn(_ engine: SharedEngine) throws {
        let backend = try engine.open(in: directory)
        try firstLayout(in: backend)
        let one = try Store(backend: backend, classes: [Left.Item.self, Meddler.self])
        let two = try Store(backend: backend, classes: [Right.Item.self])
        let (items, meddler) = (newItems(), Meddler())
        one.insert(items.left)
        one.insert(meddler)
        two.insert(items.right)
        var failure: (any Error)?
        meddler.meddle = { do { try two.save() } catch { failure = error } }
        try one.save()
        #expect(failure == nil && !one.hasChanges && !two.hasChanges)
        #expect(try titles(in: backend) == [1: "base", 2: "right", 3: "left"])
        // The commit that was begun again left nothing behind.
        items.left.left = "again"
        try one.save()
        #expect(try titles(in: backend) == [1: "base", 2: "right", 3: "left"])
        withExtendedLifetime((one, two)) {}
    }

    /// Both the class and its layouts are new.
    @Test(arguments: SharedEngine.allCases)
    func aClassThatIsAddedDuringASaveIsTheSameClass(_ engine: SharedEngine) throws {
        let backend = try engine.open(in: directory)
        let one = try Store(backend: backend, classes: [Left.Item.self, Meddler.self])
        let two = try Store(backend: backend, classes: [Right.Item.self])
        let (items, meddler) = (newItems(), Meddler())
        one.insert(items.left)
        one.insert(meddler)
        two.insert(items.right)
        meddler.meddle = { try? two.save() }
        try one.save()
        #expect(!two.hasChanges)
        #expect(try titles(in: backend) == [1: "right", 2: "left"])
        withExtendedLifetime((one, two)) {}
    }

    @Test(arguments: SharedEngine.allCases)
    func newClassesOfTwoStoresGetDifferentNumbers(_ engine: SharedEngine) throws {
        let backend = try engine.open(in: directory)
        let one = try Store(backend: backend, classes: [Song.self])
        let two = try Store(backend: backend, classes: [First.Item.self])
        one.insert(Song("song"))
        let item = First.Item()
        item.name = "item"
        two.insert(item)
        try two.save()
        try one.save()
        let numbers = [
            try one.metadata(of: Song.self).number, try two.metadata(of: First.Item.self).number,
        ]
        #expect(numbers == [0, 1])
        let last = try Store(backend: backend, classes: [First.Item.self, Song.self])
        #expect(try last.metadata(of: Song.self).number == numbers[0])
        #expect(try last.metadata(of: First.Item.self).number == numbers[1])
        #expect(try last.objects(of: Song.self).map(\.title) == ["song"])
        #expect(try last.objects(of: First.Item.self).map(\.name) == ["item"])
        withExtendedLifetime((one, two)) {}
    }
}
