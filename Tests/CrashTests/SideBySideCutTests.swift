import Cabinet
import CabinetBackend
import Testing
import TrustSupport

/// The loss of power while two stores save what each has changed of one graph, in turn and without
/// catching up before: each save merges.
struct SideBySideCutTests {
    /// What is saved at which moment, as the notes of a recording say.
    private enum Note {
        static func began(_ save: Int) -> String { "began \(save)" }
        static func saved(_ save: Int) -> String { "saved \(save)" }
        /// The last save of that kind.
        static func last(_ kind: String, in notes: [String]) -> Int {
            notes.compactMap { note in
                let words = note.split(separator: " ")
                return words.first.map(String.init) == kind ? Int(words[1]) : nil
            }.max() ?? 0
        }
    }

    private static let classes: [StoredObject.Type] = [Diary.self, Page.self]
    private static let saves = 14

    /// Lets two stores save in turn in the directory `root`, whose files are `films`.
    private func play(_ root: String, _ films: FilmedFiles, _ durability: Durability) throws {
        let engine = try StoreUnderTest.open(root, durability: durability, files: films)
        let container = StoreContainer(backend: engine.backend, classes: Self.classes)
        let stores = [try container.makeStore(), try container.makeStore()]
        var diaries: [Diary] = [Diary()]
        stores[0].insert(diaries[0])
        try stores[0].save()
        try stores[1].refresh()
        diaries.append(try #require(try stores[1].objects(of: Diary.self).first))
        // Both have read it before either goes on.
        try #require(diaries[1].pages.isEmpty)
        try engine.backend.sync()
        films.note(Note.saved(0))
        for number in 1...Self.saves {
            let (store, diary) = (stores[number % 2], diaries[number % 2])
            let page = Page()
            page.number = number
            diary.pages.append(page)
            if number % 2 == 0 { diary.even += 1 } else { diary.odd += 1 }
            films.note(Note.began(number))
            try store.save(onConflict: .merge)
            if durability == .process, number % 4 == 0 { try engine.backend.sync() }
            if durability == .full || number % 4 == 0 { films.note(Note.saved(number)) }
            if number == Self.saves / 2 { try engine.compact() }
            try films.look()
        }
        for store in stores { try store.close() }
        try container.close()
    }

    /// What is wrong with what a restarted machine finds; `nil`: it is what some number of saves
    /// have left, all that were acknowledged among them.
    private func judge(_ root: String, _ notes: [String], _ durability: Durability) throws
        -> String?
    {
        let least = Note.last("saved", in: notes)
        let most = max(least, Note.last("began", in: notes))
        let engine = try StoreUnderTest.open(
            root, durability: durability, files: RebootedFiles(boot: 1))
        let store = try Store(backend: engine.backend, classes: Self.classes)
        defer { try? store.close() }
        guard let diary = try store.objects(of: Diary.self).first else {
            return notes.contains(Note.saved(0)) ? "the diary is gone" : nil
        }
        let numbers = diary.pages.map(\.number)
        let count = numbers.count
        if count < least || count > most { return "\(count) saves, not \(least) to \(most)" }
        // Neither store has put a page before one of the other's.
        if numbers != Array(0..<count).map({ $0 + 1 }) { return "pages \(numbers)" }
        if diary.odd != (count + 1) / 2 || diary.even != count / 2 {
            return "of \(count) saves, \(diary.odd) odd and \(diary.even) even ones"
        }
        if !diary.pages.allSatisfy({ $0.diary === diary }) { return "a page does not lead back" }
        return try store.count(of: Page.self) == count ? nil : "a page stands nowhere"
    }

    @Test(arguments: [Durability.full, .process])
    func aCutLeavesWhatSomeNumberOfMergesHasMade(_ durability: Durability) throws {
        let directory = ScratchDirectory()
        let films = FilmedFiles(root: directory.path)
        try play(directory.path, films, durability)
        var states = CutStates(films.recording(from: DiskImage()), seed: RunSetting.seed) {
            StoreNames.isView($0)
        }
        states.exhaustiveLimit = RunSetting.repetitions(4)
        states.sample = RunSetting.repetitions(2)
        let scratch = ScratchDirectory()
        var (count, failures): (Int, [String]) = (0, [])
        try states.visit { state in
            guard failures.count < 5 else { return }
            count += 1
            scratch.clear()
            try state.image.write(below: scratch.path)
            if let wrong = try judge(scratch.path, state.notes, durability) {
                failures.append("\(wrong), after operation \(state.operations)")
            }
        }
        print("seed \(RunSetting.seed), \(durability): \(count) states of merging stores")
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        #expect(count > 100 / RunSetting.share)
    }
}

private final class Diary: StoredObject {
    @Field var odd = 0
    @Field var even = 0
    @Many(inverse: \Page.diary) var pages: [Page]
}

private final class Page: StoredObject {
    @Field var number = 0
    @One var diary: Diary?
}
