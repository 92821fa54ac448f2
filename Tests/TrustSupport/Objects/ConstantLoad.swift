import CLibrary
import Cabinet
import CabinetBackend
import Foundation

/// Two stores over one directory that go on changing, finding and saving books, as many of them in the
/// end as at first: what memory they need more and more of is lost.
package struct ConstantLoad: Sendable {
    package var directory: String
    package var seed: UInt64
    package var books = 5000

    package init(directory: String, seed: UInt64) {
        self.directory = directory
        self.seed = seed
    }

    /// What the process has of memory, in bytes.
    package struct Memory: Sendable, CustomStringConvertible {
        /// Pages that are no file's, and pages of files.
        package var own = 0
        package var files = 0

        package init() {
            let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") {
                let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                guard words.count == 3, let kilobytes = Int(words[1]) else { continue }
                if words[0] == "RssAnon:" { own = kilobytes << 10 }
                if words[0] == "RssFile:" { files = kilobytes << 10 }
            }
        }

        package var description: String { "own \(own >> 10) KiB, files \(files >> 10) KiB" }
    }

    /// Goes on for `seconds`, and gives `say` a line every 10 of them.
    package func run(seconds: Double, say: @escaping @Sendable (String) -> Void) throws {
        let container = try StoreContainer(
            directory: URL(filePath: directory), classes: Bookshop.classes, durability: .process)
        try fill(container)
        let end = Date(timeIntervalSinceNow: seconds)
        let group = DispatchGroup()
        let failures = Guarded<[String]>([])
        let saves = Guarded(0)
        for lane in 0..<2 {
            group.enter()
            Thread.detachNewThread {
                do {
                    try work(in: container, lane, until: end) { saves.withLock { $0 += 1 } }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
                group.leave()
            }
        }
        while group.wait(timeout: .now() + 10) == .timedOut {
            say("\(saves.withLock { $0 }) saves: \(Memory())")
        }
        if let failure = failures.withLock({ $0.first }) { throw LedgerFailure(failure) }
        try container.close()
        say("closed: \(Memory())")
    }

    private func fill(_ container: StoreContainer) throws {
        let store = try container.makeStore()
        var random = SeededRandom(seed: seed)
        for serial in 1...books { add(serial, to: store, &random) }
        try store.save()
        try store.close()
    }

    private func add(_ serial: Int, to store: Store, _ random: inout SeededRandom) {
        let book = Book()
        book.serial = serial
        book.price = Int64(random.below(1000))
        book.text = Self.text(&random)
        store.insert(book)
    }

    private static func text(_ random: inout SeededRandom) -> String {
        (0..<(3 + random.below(12))).map { _ in "word\(random.below(3000))" }
            .joined(separator: " ")
    }

    /// Each lane has the books of its own serial numbers, so that none conflicts.
    private func work(
        in container: StoreContainer, _ lane: Int, until end: Date, _ didSave: () -> Void
    ) throws {
        let store = try container.makeStore()
        var random = SeededRandom(seed: seed, part: UInt64(lane + 1))
        while Date() < end {
            for _ in 0..<(1 + random.below(8)) {
                let serial = 1 + lane + 2 * random.below(books / 2)
                let found = try store.fetch(Book.self, where: #Predicate { $0.serial == serial })
                guard let book = found.first else { continue }
                switch random.below(4) {
                case 0:
                    try store.delete(book)
                    add(serial, to: store, &random)
                case 1: book.text = Self.text(&random)
                default: book.price = Int64(random.below(1000))
                }
            }
            try store.save(onConflict: .merge)
            didSave()
            let price = Int64(random.below(1000))
            _ = try store.fetch(Book.self, where: #Predicate { $0.price == price }).map(\.text)
            let word = "word\(random.below(3000))"
            _ = try store.search(Book.self, word, in: \.text, limit: 5).objects
        }
        try store.close()
    }
}
