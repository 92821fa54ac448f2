import CabinetBackend

/// The tags of notes of commits (``WriteBatch/note(_:_:)``) that stores make. Numbers from 2 to 0x7F that
/// are not here are reserved.
enum NoteTag: UInt8 {
    /// A text of the program.
    case program = 1
    /// A step of undo: what was done with it, and its name.
    case step = 2
    /// The trigger that has made the commit, and those whose commits it was called for: their names, a line
    /// each.
    case triggers = 3
}

extension CommitStep {
    /// `nil` for a note of another kind, or one that cannot be understood.
    init?(_ note: CommittedChanges.Note) {
        guard note.tag == NoteTag.step.rawValue, let sign = note.bytes.first,
            let kind = Kind(sign: sign),
            let name = String(validating: note.bytes.dropFirst(), as: UTF8.self)
        else { return nil }
        self.init(kind: kind, name: name)
    }

    /// The note's bytes.
    var bytes: [UInt8] {
        let name = name.utf8.count < WriteBatch.noteLimit ? name : ""
        return [kind.sign] + Array(name.utf8)
    }

    /// Whether it was taken back or made again.
    var isMove: Bool { kind != .made }
}

extension CommitStep.Kind {
    fileprivate init?(sign: UInt8) {
        switch sign {
        case UInt8(ascii: "+"): self = .made
        case UInt8(ascii: "-"): self = .undone
        case UInt8(ascii: "*"): self = .redone
        default: return nil
        }
    }

    fileprivate var sign: UInt8 {
        switch self {
        case .made: UInt8(ascii: "+")
        case .undone: UInt8(ascii: "-")
        case .redone: UInt8(ascii: "*")
        }
    }
}

/// What a store says of its commits: who makes them, and notes for the next one.
///
/// Made when there is something to say: other saves pay for one comparison.
final class Attribution {
    /// A note for the next save.
    struct Note {
        let tag: NoteTag
        let bytes: [UInt8]
    }

    var author: String? {
        didSet { if author != oldValue { number = 0 } }
    }
    private(set) var notes: [Note] = []
    /// The author's number, as the last commit bears it; 0: not looked up.
    private var number: UInt32 = 0
    /// Whether the catalog has the author under that number.
    private var isEntered = false
    /// How many of the notes are in the commit under way.
    private var written = 0
    /// Whether the commit under way, or the last one, has a step of undo that was taken back or made again.
    private(set) var movesSteps = false

    /// Puts into `commit`, which has everything else, who makes it, and, into a save, the notes.
    func sign(_ commit: Commit) throws {
        let batch = commit.batch
        movesSteps = false
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
            try note.bytes.withUnsafeBytes { try batch.note(note.tag.rawValue, $0) }
        }
        movesSteps = notes.prefix(written).contains {
            $0.tag == .step && $0.bytes.first != CommitStep.Kind.made.sign
        }
    }

    func didCommit() {
        isEntered = number != 0
        _ = takeWritten()
    }

    func takeWritten() -> [Note] {
        defer {
            notes.removeFirst(written)
            written = 0
        }
        return Array(notes.prefix(written))
    }

    /// The commit that had `former` was not made.
    func putBack(_ former: [Note]) { notes.insert(contentsOf: former, at: 0) }

    func add(_ bytes: [UInt8], _ tag: NoteTag) { notes.append(Note(tag: tag, bytes: bytes)) }

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
        makeAttribution().add(Array(text.utf8), .program)
    }

    /// Notes in the next save what became of a step of undo. A name that is longer than a note is left out.
    func note(_ step: CommitStep) {
        makeAttribution().add(step.bytes, .step)
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
