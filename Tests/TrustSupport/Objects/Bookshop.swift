import Cabinet

/// A shelf of books, with declared fields: their order is data, and its total is that of theirs.
final class Shelf: StoredObject {
    @Field var serial = 0
    @Field var total: Int64 = 0
    @Many(inverse: \Book.shelf, onDelete: .cascade) var books: [Book]
    @One(onDelete: .cascade) var till: Till?

    override class var tracksReferrers: Bool { true }
}

/// A book on a shelf.
final class Book: StoredObject {
    @Field var serial = 0
    @Field var price: Int64 = 0
    @Field var text = ""
    @One var shelf: Shelf?

    override class var indexes: [Index] {
        [
            .unique(\Book.serial, named: "serial", where: { $0.serial > 0 }),
            .ordered(\Book.price), .ordered(\Book.shelf),
        ]
    }
    override class var textIndexes: [TextIndex] { [.text(\Book.text)] }
}

/// What a shelf has cost, written by hand: the opposite of its total.
final class Till: StoredObject {
    private var storedBalance: Int64 = 0
    private var storedShelf: Shelf?

    var balance: Int64 {
        get {
            willRead()
            return storedBalance
        }
        set {
            willChange()
            storedBalance = newValue
        }
    }
    var shelf: Shelf? {
        get {
            willRead()
            return storedShelf
        }
        set {
            willChange()
            storedShelf = newValue
        }
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeInt64(storedBalance)
        buffer.writeReference(storedShelf)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedBalance = try buffer.readInt64()
        storedShelf = try buffer.readReference()
    }

    override func dissolveAllRelationships() { storedShelf = nil }
}

package enum Bookshop {
    package static let classes: [StoredObject.Type] = [Shelf.self, Book.self, Till.self]
    /// The storage name of the books.
    package static let bookName = "Book"

    /// Adds or removes an index of the books: a thread builds it beside the saves, goes on after a kill,
    /// and saves without it leave it behind.
    package static func changeIndexes(in store: Store, after saves: Int) throws {
        switch saves % 4 {
        case 0, 1: try store.indexes.register(.ordered(\Book.text, named: "text"))
        case 2: break
        default:
            do { try store.indexes.unregister(named: "text", of: Book.self) } catch StoreError
                .badIndex
            {}
        }
    }

    /// Makes a segment of the text index of what the latest saves have changed, once that are more than
    /// a few books, and merges segments. The store has no pending changes.
    package static func keepTexts(in store: Store) throws { try store.keepTexts(unmergedLimit: 4) }

    /// Fetches every book with all that it has.
    package static func readBooks(in store: Store) throws {
        for book in try store.objects(of: Book.self) {
            _ = (book.serial, book.price, book.text.utf8.count, book.shelf?.rowID)
        }
    }
}
