import CabinetBackend
import Foundation

@testable import Cabinet

/// Books on shelves that count them by triggers; every shelf counts in its case, too.
final class CountingShelf: StoredObject {
    @Field var name = ""
    @Field var bookCount = 0
    @Field var pages = 0
    @One var cabinet: CountingCase?

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }

    override class var triggers: [Trigger] {
        [
            .before(\CountingShelf.bookCount, \CountingShelf.cabinet) {
                (shelf: CountingShelf, change) in
                if let former = change.former { former.cabinet?.bookCount -= former.bookCount }
                if change.kind != .deleted { shelf.cabinet?.bookCount += shelf.bookCount }
            }
        ]
    }
}

final class CountingCase: StoredObject {
    @Field var bookCount = 0
    @Field var label = ""
}

final class CountedBook: StoredObject {
    @Field var title = ""
    @Field var sortTitle = ""
    @Field var pages = 0
    @Field var duty = ""
    @One var shelf: CountingShelf?

    convenience init(_ title: String, pages: Int = 100, on shelf: CountingShelf? = nil) {
        self.init()
        (self.title, self.pages, self.shelf) = (title, pages, shelf)
    }

    struct Refused: Error, Equatable {}

    override class var indexes: [Index] { [.ordered(\CountedBook.title)] }

    override class var triggers: [Trigger] {
        [
            .before(\CountedBook.shelf, \CountedBook.pages) { (book: CountedBook, change) in
                if let former = change.former {
                    former.shelf?.bookCount -= 1
                    former.shelf?.pages -= former.pages
                }
                guard change.kind != .deleted else { return }
                book.shelf?.bookCount += 1
                book.shelf?.pages += book.pages
            },
            .before(\CountedBook.title) { (book: CountedBook, change) in
                if change.kind != .deleted { book.sortTitle = book.title.lowercased() }
            },
            .before(\CountedBook.duty) { (book: CountedBook, change) in try book.doDuty(change) },
        ]
    }

    override func validate() throws { if title == "invalid" { throw Refused() } }

    private func doDuty(_ change: ObjectChange<CountedBook>) throws {
        guard change.kind != .deleted, let store else { return }
        switch duty {
        case "refuse":
            store.insert(CountedBook("left over", on: shelf))
            shelf?.name = "left over"
            store.namedBuffers["left over"] = DataBuffer()
            try store.note("left over")
            throw Refused()
        case "copy":
            duty = ""
            store.insert(CountedBook("copy of \(title)", pages: pages, on: shelf))
        case "forever":
            store.insert(
                {
                    let book = CountedBook("more")
                    book.duty = "forever"
                    return book
                }())
        case "save": try store.save()
        default: break
        }
    }

    static let family: [StoredObject.Type] = [
        CountedBook.self, CountingShelf.self, CountingCase.self,
    ]
}

extension Store {
    /// What the triggers count wrongly, by counting anew.
    func miscounts() throws -> [String] {
        let books = try objects(of: CountedBook.self)
        var found: [String] = []
        for shelf in try objects(of: CountingShelf.self) {
            let own = books.filter { $0.shelf === shelf }
            let pages = own.reduce(0) { $0 + $1.pages }
            if (shelf.bookCount, shelf.pages) != (own.count, pages) {
                found.append(
                    "\(shelf.name): \(shelf.bookCount) of \(own.count), \(shelf.pages) of \(pages)")
            }
        }
        for cabinet in try objects(of: CountingCase.self) {
            let count = books.filter { $0.shelf?.cabinet === cabinet }.count
            if cabinet.bookCount != count { found.append("\(cabinet.bookCount) of \(count)") }
        }
        for book in books where book.sortTitle != book.title.lowercased() {
            found.append(book.title)
        }
        return found
    }
}
