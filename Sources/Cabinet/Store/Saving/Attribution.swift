import CabinetBackend

/// What a store says of its commits: who makes them, and notes for the next one.
///
/// Made when there is something to say: other saves pay for one comparison.
final class Attribution {
    /// The tag of a note that the program has made; see ``WriteBatch/note(_:_:)``.
    static let noteTag: UInt8 = 1

    var author: String? {
        didSet { if author != oldValue { number = 0 } }
    }
    private(set) var notes: [String] = []
    /// The author's number, as the last commit bears it; 0: not looked up.
    private var number: UInt32 = 0
    /// Whether the catalog has the author under that number.
    private var isEntered = false
    /// How many of the notes are in the commit under way.
    private var written = 0

    /// Puts into `commit`, which has everything else, who makes it, and, into a save, the notes.
    func sign(_ commit: Commit) throws {
        let batch = commit.batch
        written = commit.isSave ? notes.count : 0
        if !isEntered { number = 0 }
        if batch.isEmpty { return }
        if let author {
            if number == 0 {
                guard AuthorEntry.isValid(author) else { throw StoreError.badAuthor(author) }
                (number, isEntered) = try AuthorEntry.find(author, in: commit.store.backend)
                if !isEntered { try AuthorEntry.enter(author, as: number, in: batch) }
            }
            batch.author = number
        }
        for note in notes.prefix(written) {
            try Array(note.utf8).withUnsafeBytes { try batch.note(Self.noteTag, $0) }
        }
    }

    func didCommit() {
        isEntered = number != 0
        _ = takeWritten()
    }

    func takeWritten() -> [String] {
        defer {
            notes.removeFirst(written)
            written = 0
        }
        return Array(notes.prefix(written))
    }

    /// The commit that had `former` was not made.
    func putBack(_ former: [String]) { notes.insert(contentsOf: former, at: 0) }

    func add(_ note: String) { notes.append(note) }

    func forgetNotes() { notes.removeAll() }
}

extension Store {
    /// Who makes the store's commits, as ``StoreCommit/author`` tells; `nil`, the default: not said.
    ///
    /// A text of 1 to 256 bytes of UTF-8, such as the name of an import, a device or a user: with another
    /// one, saves throw ``StoreError/badAuthor(_:)``. The first save of an author enters it into the
    /// store's catalog, for good; the first save of each open store looks it up there. A commit
    /// keeps only its number. Setting it changes nothing by itself.
    public var author: String? {
        get { attribution?.author }
        set {
            if newValue == nil, attribution == nil { return }
            makeAttribution().author = newValue
        }
    }

    /// Adds a note to the next save, in which ``StoreCommit/notes`` has it: what the changes are for.
    ///
    /// Any number of notes, each of up to 64 KiB of UTF-8, are written in their order along with the
    /// changes, and kept with them in the log until it is compacted. They are no change by themselves. A
    /// save that finds nothing to write drops them, as ``rollback()`` does, and a group that throws
    /// those made in it. After a save that has failed they wait for the next one.
    ///
    /// During ``saveInBackground(isolation:)`` a note is for the save after that.
    /// - Throws: `BackendError.tooLarge(limit:)` or ``StoreError/closed``; there is no note then.
    public func note(_ text: String) throws {
        if isClosed { throw StoreError.closed }
        guard text.utf8.count <= WriteBatch.noteLimit else {
            throw BackendError.tooLarge(limit: WriteBatch.noteLimit)
        }
        makeAttribution().add(text)
    }

    private func makeAttribution() -> Attribution {
        if let attribution { return attribution }
        let made = Attribution()
        attribution = made
        return made
    }

    /// Runs `body`. If it throws, notes made in it are forgotten, and those from before are as they were.
    func keepingNotes<Result>(_ body: () throws -> Result) throws -> Result {
        let former = attribution?.notes ?? []
        do { return try body() } catch {
            attribution?.forgetNotes()
            attribution?.putBack(former)
            throw error
        }
    }
}
