import CabinetBackend

/// Shelves and books, as plain values: what a store of objects with the first `saves` saves of a
/// run holds.
///
/// A save follows from the seed, its number, and what the saves before it left, as in ``Ledger``.
package struct ObjectLedger: Hashable, Sendable {
    struct Volume: Hashable, Sendable {
        var shelf: Int
        var price: Int64
        /// Of the text, which may be long: its length in bytes, and its sum.
        var length: Int
        var textSum: UInt64
    }

    /// One thing that a program does to its objects, which it knows by their serial numbers.
    package enum Change: Hashable, Sendable {
        case addShelf(Int)
        case addBook(Int, shelf: Int, price: Int64, text: TextRecipe)
        /// By the book's side of the relationship: it goes to the end of that shelf.
        case move(book: Int, shelf: Int)
        /// By the shelf's side: the books at two positions are swapped.
        case swap(shelf: Int, Int, Int)
        case setPrice(book: Int, Int64)
        case setText(book: Int, TextRecipe)
        case deleteBook(Int)
        /// With all books on it.
        case deleteShelf(Int)
    }

    let seed: UInt64
    /// The most bytes of a text, but for a few that are longer.
    let filling: Int
    /// The serial numbers of the books on each shelf, in their order.
    var shelves: [Int: [Int]] = [:]
    var books: [Int: Volume] = [:]
    /// The last book that was added and kept, deleted since or not; 0 for none.
    var latest = 0
    /// The length and the sum of each named note.
    var notes: [String: TextRecipe.Sum] = [:]
    package var saves = 0

    /// An empty ledger.
    package init(seed: UInt64, filling: Int) {
        self.seed = seed
        self.filling = filling
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .addShelf(let shelf): shelves[shelf] = []
        case .addBook(let book, let shelf, let price, let text):
            let sum = text.sum
            books[book] = Volume(
                shelf: shelf, price: price, length: sum.length, textSum: sum.sum)
            shelves[shelf, default: []].append(book)
            latest = book
        case .move(let book, let shelf):
            guard let old = books[book]?.shelf, old != shelf else { return }
            shelves[old]?.removeAll { $0 == book }
            shelves[shelf, default: []].append(book)
            books[book]?.shelf = shelf
        case .swap(let shelf, let one, let other): shelves[shelf]?.swapAt(one, other)
        case .setPrice(let book, let price): books[book]?.price = price
        case .setText(let book, let text):
            books[book]?.length = text.sum.length
            books[book]?.textSum = text.sum.sum
        case .deleteBook(let book):
            if let shelf = books.removeValue(forKey: book)?.shelf {
                shelves[shelf]?.removeAll { $0 == book }
            }
        case .deleteShelf(let shelf):
            for book in shelves.removeValue(forKey: shelf) ?? [] { books[book] = nil }
        }
    }

    func applying(_ changes: [Change]) -> ObjectLedger {
        var result = self
        for change in changes { result.apply(change) }
        return result
    }

    /// What `other` has otherwise, in a few words. `nil`: nothing.
    func difference(from other: ObjectLedger) -> String? {
        for shelf in Set(shelves.keys).union(other.shelves.keys).sorted()
        where shelves[shelf] != other.shelves[shelf] {
            let lists = [shelves[shelf], other.shelves[shelf]].map { $0.map { "\($0)" } ?? "gone" }
            return "shelf \(shelf) is \(lists[0]), not \(lists[1])"
        }
        for book in Set(books.keys).union(other.books.keys).sorted()
        where books[book] != other.books[book] {
            return "book \(book) differs"
        }
        return self == other ? nil : "names differ"
    }

    func total(of shelf: Int) -> Int64 {
        (shelves[shelf] ?? []).reduce(0) { $0 + (books[$1]?.price ?? 0) }
    }

    /// A sum over everything: equal for equal contents.
    package var digest: UInt64 {
        var sum = ByteSum()
        sum.add(saves)
        sum.add(latest)
        for (shelf, books) in shelves.sorted(by: { $0.key < $1.key }) {
            sum.add(shelf)
            sum.add(books.count)
            for book in books { sum.add(book) }
        }
        for (number, book) in books.sorted(by: { $0.key < $1.key }) {
            sum.add(number)
            sum.add(book.shelf)
            sum.add(book.price)
            sum.add(book.length)
            sum.add(book.textSum)
        }
        for (name, note) in notes.sorted(by: { $0.key < $1.key }) {
            for byte in name.utf8 { sum.add(byte) }
            sum.add(note.length)
            sum.add(note.sum)
        }
        return sum.value
    }
}

/// How a text is made: of any length, and different for every number. It begins with one of a few words,
/// followed by a space, if it is long enough for that.
package struct TextRecipe: Hashable, Sendable {
    /// What there is to know of a text.
    struct Sum: Hashable, Sendable {
        var length = 0
        var sum: UInt64 = 0

        init() {}

        init(_ bytes: some Sequence<UInt8>) {
            var value = ByteSum()
            for byte in bytes {
                value.add(byte)
                length += 1
            }
            sum = value.value
        }
    }

    var number: UInt64
    /// In bytes.
    var length: Int

    var bytes: [UInt8] {
        var random = SeededRandom(seed: number)
        let word = Array(Self.words[Int(number % UInt64(Self.words.count))].utf8) + [0x20]
        return (0..<length).map { index in
            let letter = UInt8(ascii: "a") + UInt8(random.next() % 26)
            return length > word.count && index < word.count ? word[index] : letter
        }
    }

    static let words = ["blue", "train", "giant", "steps", "moment", "notice", "naima"]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var sum: Sum { Sum(bytes) }
}

/// FNV-1a, by Fowler, Noll and Vo, of 64 bits.
struct ByteSum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    mutating func add<Number: FixedWidthInteger>(_ number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            add(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
