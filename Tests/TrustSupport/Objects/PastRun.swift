import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation

/// A program that saves pages, whose history is kept, until it dies. What they are after so many saves follows
/// from the seed. It says `O` with how many saves it has found, once they and what there was as of earlier commits
/// are right, and `A` after each save.
package struct PastRun {
    package var directory: String
    package var seed: UInt64
    package var killPoint: KillPoint?

    package init(directory: String, seed: UInt64, killPoint: KillPoint? = nil) {
        (self.directory, self.seed, self.killPoint) = (directory, seed, killPoint)
    }

    package var arguments: [String] {
        ["past", directory, String(seed), killPoint?.text ?? "-"]
    }

    package init?(arguments: [String]) {
        guard arguments.count == 4, arguments[0] == "past", let seed = UInt64(arguments[2]) else {
            return nil
        }
        self.init(
            directory: arguments[1], seed: seed, killPoint: KillPoint(text: arguments[3]))
    }

    package static let classes: [StoredObject.Type] = [Page.self, PageCount.self]
    private static let pages = 12

    /// The program's part: looks at what there is, and saves for ever.
    package func work(say: @Sendable (String) -> Void) async throws {
        let engine = try StoreUnderTest.open(
            directory, durability: .process, files: FatalFiles(dyingAt: killPoint))
        let container = StoreContainer(
            backend: engine.backend, classes: Self.classes, log: .none)
        let store = try container.makeStore()
        let count = try store.objects(of: PageCount.self).first ?? PageCount()
        if count.saves == 0 { store.insert(count) }
        var random = SeededRandom(seed: seed &+ UInt64(count.saves))
        try await check(container, engine.backend, saves: count.saves, &random)
        say("O \(count.saves)")
        var pages = try store.objects(of: Page.self).map { $0 }
        var texts = Self.texts(seed, after: count.saves)
        while true {
            count.saves += 1
            Self.edit(&texts, seed, count.saves)
            for (number, text) in texts {
                if let page = pages.first(where: { $0.number == number }) {
                    if page.text != text { page.text = text }
                } else {
                    let page = Page()
                    (page.number, page.text) = (number, text)
                    store.insert(page)
                    pages.append(page)
                }
            }
            for page in pages where texts[page.number] == nil { try store.delete(page) }
            pages.removeAll { texts[$0.number] == nil }
            try store.save()
            say("A \(count.saves)")
            // What the log has still is what the worker has not moved.
            if random.once(in: 6) { try engine.compact() }
        }
    }

    // MARK: What there must be

    /// The pages' texts, by number, after so many saves.
    private static func texts(_ seed: UInt64, after saves: Int) -> [Int: String] {
        var texts: [Int: String] = [:]
        for save in 1..<saves + 1 { edit(&texts, seed, save) }
        return texts
    }

    private static func edit(_ texts: inout [Int: String], _ seed: UInt64, _ save: Int) {
        var random = SeededRandom(seed: seed &* 31 &+ UInt64(save))
        for _ in 0..<4 {
            let number = random.below(pages)
            if random.once(in: 8) {
                texts[number] = nil
            } else {
                let digit = UInt8(ascii: "0") + UInt8(random.below(10))
                let digits = [UInt8](repeating: digit, count: 1 + random.below(9_000))
                texts[number] = "\(save)." + String(decoding: digits, as: UTF8.self)
            }
        }
    }

    /// As of each of some commits the pages are those after as many saves as there were by then, and the count
    /// tells of each save.
    private func check(
        _ container: StoreContainer, _ backend: TokyoBackend, saves: Int,
        _ random: inout SeededRandom
    ) async throws {
        let last = try backend.lastCommit().rawValue
        var moments = [last]
        for _ in 0..<12 { moments.append(UInt64(random.below(Int(last) + 1))) }
        var latest = 0
        var texts: [Int: String] = [:]
        for moment in moments.sorted() {
            let found = try await container.read(asOf: CommitNumber(moment)) { store in
                let texts = try store.objects(of: Page.self).map { ($0.number, $0.text) }
                return (try store.objects(of: PageCount.self).first?.saves ?? 0, texts)
            }
            if found.0 > latest {
                for save in latest + 1...found.0 { Self.edit(&texts, seed, save) }
            }
            guard found.0 >= latest, found.1.count == Set(found.1.map(\.0)).count,
                Dictionary(uniqueKeysWithValues: found.1) == texts
            else { throw PastFailure(text: "as of \(moment) there are other pages") }
            latest = found.0
        }
        guard latest == saves else { throw PastFailure(text: "\(latest) of \(saves) saves") }
        let store = try container.makeStore()
        if let count = try store.objects(of: PageCount.self).first {
            let told = try container.history(of: count).map { event -> FieldValue? in
                switch event.kind {
                case .inserted(let fields): fields.first { $0.name == "saves" }?.value
                case .changed(let changes): changes.first { $0.name == "saves" }?.new
                default: nil
                }
            }
            guard told == (1..<saves + 1).map({ FieldValue.integer(Int128($0)) }) else {
                throw PastFailure(text: "\(told.count) of \(saves) saves are told of")
            }
        }
        try store.close()
    }

    private struct PastFailure: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
}

/// What is edited.
package final class Page: StoredObject {
    @Field package var number = 0
    @Field package var text = ""

    override package class var keepsHistory: Bool { true }
}

/// How many saves there were.
package final class PageCount: StoredObject {
    @Field package var saves = 0

    override package class var keepsHistory: Bool { true }
}
