import Cabinet
import CabinetMemory
import Testing

private final class Page: StoredObject {
    @Field var text = ""
    override class var storageName: String { "NestedPage" }
}

private final class Folder: StoredObject {
    @Many var pages: [Page]
    override class var storageName: String { "NestedFolder" }
}

/// Begins other encodings while its own runs.
private final class Census: StoredObject {
    private var storedFirst: Page?
    private var storedSecond: Page?
    /// What ``writeContent(to:)`` calls between its two references.
    var between: (() -> Void)?

    override class var storageName: String { "NestedCensus" }

    var pages: [Page?] {
        get {
            willRead()
            return [storedFirst, storedSecond]
        }
        set {
            willChange()
            (storedFirst, storedSecond) = (newValue[0], newValue[1])
        }
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeReference(storedFirst)
        between?()
        buffer.writeReference(storedSecond)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedFirst = try buffer.readReference()
        storedSecond = try buffer.readReference()
    }
}

/// An encoding that begins while an image is made neither takes the form of images nor changes what
/// the image holds.
struct NestedEncodingTests {
    private let store: Store
    private let census = Census()

    init() throws {
        store = try Store(
            backend: MemoryBackend(), classes: [Page.self, Folder.self, Census.self])
        store.insert(census)
        try store.save()
        store.undoHistory.isEnabled = true
    }

    /// Makes an image of the census, during which `between` is called once.
    private func image(calling between: @escaping () -> Void) {
        var isCalled = false
        census.between = {
            if isCalled { return }
            isCalled = true
            between()
        }
        census.pages = [nil, nil]
        census.between = nil
        #expect(isCalled)
    }

    @Test func aSearchForReferrersWithinAnImageFindsThem() throws {
        let page = Page()
        let folder = Folder()
        folder.pages = [page]
        store.insert(folder)
        var found: [StoredObject] = []
        image { found = (try? store.referrers(of: page)) ?? [] }
        #expect(found == [folder])
    }

    @Test func aBufferOfItsOwnWithinAnImageHasTheFormOfRecords() throws {
        let page = Page()
        store.insert(page)
        try store.save()
        try store.delete(page)
        var bytes: [UInt8] = []
        image {
            let buffer = DataBuffer()
            buffer.writeReference(page)
            bytes = buffer.withUnsafeBytes { [UInt8]($0) }
        }
        #expect(bytes == [0, 0, 0, 0])
    }

    @Test func aNamedBufferReadWithinAnImageLacksWhatIsGone() throws {
        let page = Page()
        store.insert(page)
        let buffer = DataBuffer()
        buffer.writeReference(page)
        store.namedBuffers["page"] = buffer
        try store.save()
        try store.delete(page)
        try store.save()
        var found: Page?
        image { found = try? store.namedBuffers.buffer(for: "page")?.readReference() }
        #expect(found == nil)
    }

    /// The second page is deleted, the first one is of no row: only an image brings them back.
    @Test func anImageIsWholeAfterEncodingsWithinIt() throws {
        let (first, second, folder) = (Page(), Page(), Folder())
        folder.pages = [Page(), Page()]
        store.insert(second)
        store.insert(folder)
        try store.save()
        census.pages = [first, second]
        try store.delete(second)
        image { for page in folder.pages { _ = try? store.referrers(of: page) } }
        #expect(census.pages == [nil, nil])
        try store.undoHistory.undo()
        #expect(census.pages[0] === first)
        #expect(census.pages[1] === second)
    }
}
