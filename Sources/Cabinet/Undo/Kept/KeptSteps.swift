import CabinetBackend

/// Keeps the steps of an author in a table of the store, with each save, for later runs of the program.
///
/// One open store has the steps of an author, by a claim. Beside the steps the table has what the saves have left
/// of their objects: what differs from that in a later run, others have changed since.
///
/// The keys begin with UInt16 length, highest byte first, and text of the author. Then follow UInt8 list (0 undo,
/// 1 redo) and UInt64 number, highest byte first, of a step; or UInt8 2, UInt32 class number and row, of
/// what an object was (``KeptContent``).
final class KeptSteps: CommitParticipant {
    private unowned let store: Store
    private let steps: UndoSteps
    private let coder: StepCoder
    private let prefix: [UInt8]
    private let claim: WorkClaim
    private var definition: TableDefinition
    private var isDefined = false
    /// Whether the commit under way defines the table.
    private var definesTable = false
    private var next: UInt64 = 1
    /// What the table has: the numbers of steps, by list, ascending, and of objects, by key, the last change of
    /// others that it tells of.
    private var stored: [[UInt64]] = [[], []]
    private var storedContents: [UInt64: UInt32] = [:]
    /// All changes of others up to this one are in the table, so far as they are about objects of steps.
    private var storedSerial: UInt32 = 0
    private var objects = KeptObjects()
    /// What was found in the table, until a save has removed what no step is about.
    private var loaded: [UInt64] = []
    /// What it has after the commit under way; of objects what changes.
    private var wanted: [[UInt64]] = [[], []]
    private var wantedContents: [UInt64: UInt32?] = [:]
    private var wantedSerial: UInt32?
    /// What the commit under way has written (`true`) or removed.
    private var touched: [UInt64: (object: StoredObject, isThere: Bool)] = [:]

    static let tableName = "Store.steps"

    /// `nil` if another open store has the author's steps.
    init?(_ store: Store, _ steps: UndoSteps, of author: String) throws(BackendError) {
        guard let claim = try store.backend.claimWork("undo/\(author)") else { return nil }
        (self.store, self.steps, self.claim, coder) = (store, steps, claim, StepCoder(store))
        let length = UInt16(truncatingIfNeeded: author.utf8.count).bigEndian
        prefix = withUnsafeBytes(of: length) { Array($0) } + Array(author.utf8)
        definition = try store.backend.claim(
            TableClaim(kind: .ordered, name: Self.tableName))
    }

    private func isThere() throws(BackendError) -> Bool {
        let number = definition.number
        return try store.reader.tables().contains { $0.number == number }
    }

    private func key(_ list: UInt8, _ number: UInt64) -> [UInt8] {
        prefix + [list] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Whether a save has steps to write, as far as can be told quickly.
    var awaitsSave: Bool {
        for (stack, stored) in zip([steps.undoable, steps.redoable], stored) {
            if stack.count != stored.count { return true }
            if let last = stack.last, stored.last != last.number { return true }
        }
        return false
    }

    // MARK: A commit

    func follows(_ storedClass: StoredClass) -> Bool { true }

    func begin(_ commit: Commit) { touched = [:] }

    func note(_ event: RecordEvent, in commit: Commit) {
        if event.isStandIn { return }
        let key = ChangeLog.key(event.storedClass, event.object.rowID)
        touched[key] = (event.object, event.kind != .deleted)
    }

    func join(_ commit: Commit) throws {
        wanted = stored
        defer { touched = [:] }
        guard commit.isSave else { return }
        definesTable = !isDefined && !(steps.undoable.isEmpty && steps.redoable.isEmpty)
        if definesTable { try commit.batch.define(definition) } else if !isDefined { return }
        var lost = 0
        try write(&steps.undoable, 0, commit.batch, &lost)
        try write(&steps.redoable, 1, commit.batch, &lost)
        try writeContents(to: commit.batch)
        if lost > 0 {
            store.log(
                .notice,
                "\(lost) steps of undo are not kept for later runs, as they lead to objects that were never "
                    + "in the store.")
        }
    }

    private func write(
        _ stack: inout StepStack, _ list: UInt8, _ batch: WriteBatch, _ lost: inout Int
    ) throws {
        stack.number(from: &next)
        let index = Int(list)
        var left = stored[index][...]
        var new: [UInt64] = []
        // A step can be taken back only after those behind it.
        for step in stack.latestFirst {
            while let last = left.last, last > step.number {
                try remove(left.removeLast(), list, batch)
            }
            if left.last == step.number { break }
            guard let bytes = coder.bytes(of: step, in: batch),
                bytes.count < DataBuffer.recordLimit / 2
            else {
                lost += 1
                while let last = left.popLast() { try remove(last, list, batch) }
                break
            }
            try keepRows(of: step, batch)
            try batch.put(bytes, under: key(list, step.number), in: definition.number)
            objects.add(step)
            new.append(step.number)
        }
        let first = stack.first?.number ?? .max
        while let oldest = left.first, oldest < first {
            try remove(left.removeFirst(), list, batch)
        }
        wanted[index] = left + new.reversed()
    }

    private func remove(_ number: UInt64, _ list: UInt8, _ batch: WriteBatch) throws {
        try key(list, number).withUnsafeBytes { try batch.deleteKey($0, in: definition.number) }
        objects.remove(number)
    }

    /// Rows of objects that a step brings back and that were never saved must not be given out again.
    private func keepRows(of step: UndoSteps.Step, _ batch: WriteBatch) throws {
        for index in 0..<step.log.count {
            try step.log.withEntry(at: index) { entry in
                guard entry.pointee.kind == .deleted, let object = entry.pointee.object,
                    object.state.isDisjoint(with: [.saved, .wasSaved])
                else { return }
                let (row, table) = (entry.pointee.row, entry.pointee.storedClass.table)
                _ = batch.beginRecord(row, in: table)
                try batch.endRecord()
                try batch.deleteRow(row, in: table)
                try batch.addFormer(nil, of: row, in: table)
            }
        }
    }

    private func writeContents(to batch: WriteBatch) throws {
        let foreign = store.changes.foreign
        var keys = objects.changed.union(touched.keys.lazy.filter(objects.contains))
        keys.formUnion(loaded)
        if foreign.serial > storedSerial { keys.formUnion(foreign.keys) }
        for key in keys.inOrder() {
            guard objects.contains(key) else {
                guard storedContents[key] != nil else { continue }
                try self.key(2, key).withUnsafeBytes {
                    try batch.deleteKey($0, in: definition.number)
                }
                wantedContents.updateValue(nil, forKey: key)
                continue
            }
            let edits = foreign.edits(of: key)
            let serial = edits.last?.serial ?? 0
            let what = touched[key]
            // What others have done to an object is known with what it was then.
            guard what != nil || serial > storedContents[key] ?? 0,
                let storedClass = store.classesByNumber[Int(key >> 32)]
            else { continue }
            let row = RowID(UInt32(truncatingIfNeeded: key))
            let object =
                if let what {
                    what.isThere ? what.object : nil
                } else { try store.savedCopy(of: row, storedClass, in: store.reader) }
            try batch.put(
                coder.content(of: object, storedClass, edits), under: self.key(2, key),
                in: definition.number)
            wantedContents.updateValue(serial, forKey: key)
        }
        wantedSerial = foreign.serial
    }

    func didEnd(committed number: CommitNumber?) {
        defer { (wantedContents, wantedSerial) = ([:], nil) }
        guard number != nil else { return objects.didNotCommit() }
        objects.didCommit()
        if definesTable { isDefined = true }
        stored = wanted
        for (key, serial) in wantedContents { storedContents[key] = serial }
        if let wantedSerial { (storedSerial, loaded) = (wantedSerial, []) }
    }

    func forgetWhatIsSaved() {}

    // MARK: A relaunch

    /// Takes up what an earlier run has kept, as far as it can be understood, or forgets it with the next save
    /// if the store has steps already.
    func load() throws {
        isDefined = try isThere()
        let isTaking = steps.undoable.isEmpty && steps.redoable.isEmpty
        var found: [[(number: UInt64, bytes: [UInt8])]] = [[], []]
        var contents: [UInt64: [UInt8]] = [:]
        let cursor = try store.readerForWalk().entries(
            in: definition.number, range: KeyRange(prefix: prefix), descending: false)
        let run = EntryRun(capacity: 4096)
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                guard key.count == prefix.count + 9 else { continue }
                let number = UInt64(
                    bigEndian: key.loadUnaligned(
                        fromByteOffset: prefix.count + 1, as: UInt64.self))
                switch key[prefix.count] {
                case 0: found[0].append((number, [UInt8](value)))
                case 1: found[1].append((number, [UInt8](value)))
                case 2: contents[number] = [UInt8](value)
                default: continue
                }
            }
        }
        stored = found.map { $0.map(\.number) }
        next = (found.joined().map(\.number).max() ?? 0) + 1
        // Whether they tell of all that others have done is found out below.
        storedContents = contents.mapValues { _ in 0 }
        loaded = Array(contents.keys)
        guard isTaking else { return }
        let stacks = found.map(read)
        steps.load(undoable: stacks[0], redoable: stacks[1])
        for step in steps.undoable.all + steps.redoable.all { objects.add(step) }
        objects.didCommit()
        noteForeign(contents)
    }

    /// The steps behind the last one that cannot be understood.
    private func read(_ found: [(number: UInt64, bytes: [UInt8])]) -> [UndoSteps.Step] {
        var read: [UndoSteps.Step] = []
        for (number, bytes) in found.reversed() {
            guard var step = bytes.withUnsafeBytes({ coder.step($0) }) else { break }
            step.number = number
            read.append(step)
        }
        if read.count < found.count {
            store.log(
                .warning,
                "\(found.count - read.count) steps of undo of an earlier run are forgotten: the classes "
                    + "that they are about have changed since.")
        }
        return read.reversed()
    }

    /// What others have changed of the objects since is theirs, as what they had changed before.
    private func noteForeign(_ contents: [UInt64: [UInt8]]) {
        let keys = steps.keys
        let foreign = store.changes.foreign
        var (found, known): ([UInt64: ForeignEdits.Edit], [UInt64: [ForeignEdits.Edit]]) = (
            [:], [:]
        )
        for (key, bytes) in contents where keys.contains(key) {
            guard let storedClass = store.classesByNumber[Int(key >> 32)] else { continue }
            let row = RowID(UInt32(truncatingIfNeeded: key))
            let content = coder.content(bytes, storedClass)
            if let last = content.edits.last {
                known[key] = content.edits
                storedContents[key] = last.serial
            }
            let isGone = (try? store.hasSavedRecord(row, of: storedClass)) == false
            if isGone, !content.isThere { continue }
            let now = try? store.savedCopy(of: row, storedClass, in: store.reader)
            // What a class writes itself is not taken apart.
            if !storedClass.isDeclared, let now, let then = content.object,
                store.image(of: then).isSame(as: store.image(of: now))
            {
                continue
            }
            let edit = ForeignEdits.Edit(from: content.object, to: now, storedClass, in: store)
            if edit.isThere { found[key] = edit }
        }
        let serials = known.values.joined().map(\.serial) + steps.serials
        foreign.restore(known, serial: serials.max() ?? 0)
        foreign.append(found, of: keys)
        if !found.isEmpty { foreign.mayPart = true }
    }
}
