import CLibrary

/// Why a backend could not do what it was asked.
///
/// Unless a case says otherwise, nothing has changed: what was pending is still pending, and the
/// store on disk is as it was.
public enum BackendError: Error, Hashable, Sendable {
    /// Another process has the store at `path` open for writing, and this one is to write, too; or
    /// another store of this process uses the directory. Processes that only read exclude
    /// none, except in a directory of 2010, which has one writer or any number of readers. `holder` is a
    /// process and a program where known, else empty. Trying again later can succeed.
    case busy(path: String, holder: String)
    /// There is something at `path`, but it is no directory a store could live in.
    case notAStore(path: String)
    /// There is nothing at `path`, or a directory without a store, where one was to be read.
    case noStore(path: String)
    /// The directory at `path` holds files of a store whose log is gone. Nothing was changed;
    /// salvage makes a new store of the records in these files.
    case logMissing(path: String)
    /// The user may not read or write `path`.
    case accessDenied(path: String)
    /// The backend was opened for reading only.
    case readOnly(path: String)
    /// The store at `path` is sealed, and no key was given, or none by the provider that was.
    case keyNeeded(path: String)
    /// The key is not that of the store whose file of keys is at `path`; or it is none: of another length,
    /// or with a cost that cannot be.
    case wrongKey(path: String)
    /// A key was given, but the store at `path` is not sealed. Open it without one, or make a sealed copy.
    case notEncrypted(path: String)
    /// The store at `path` is sealed, or was to be, by a program that was built without the package's trait
    /// `Encryption`.
    case encryptionUnavailable(path: String)
    /// The file at `path` is damaged at byte `offset`. Nothing was cut or repaired.
    case corrupt(path: String, offset: UInt64)
    /// The store at `path` was written by a newer Cabinet, whose format is `found`; this one knows
    /// formats up to `known`.
    case newerFormat(path: String, found: UInt32, known: UInt32)
    /// The store at `path` was written by a development version of Cabinet before 0.1.0, in the format
    /// `found`; the oldest one that is read is `oldest`. Export the objects as JSON with that version,
    /// and import them into a new store.
    case olderFormat(path: String, found: UInt32, oldest: UInt32)
    /// No room is left on the device of `path` (or in the user's quota) for `needed` more bytes;
    /// 0: for another file or name, or for an amount that the system did not say.
    case diskFull(path: String, needed: UInt64)
    /// The system refused `operation` on `path`; `code` is its own number (`errno`).
    case system(operation: String, path: String, code: Int32)
    /// The store at `path`, or a file of its log, was moved away, removed or replaced while it was open. Nothing is
    /// saved to what is there now. Saves that have returned are where it was moved to; of a file that was removed,
    /// a backup has them.
    case replaced(path: String)
    /// An earlier write to the log failed and its end could not be sealed off. Saves are refused
    /// until the store is opened again, which recovers every acknowledged save.
    case logUnusable(path: String)
    /// A save is safe in the log, but the file at `path` that reads are served from could be
    /// neither updated nor rebuilt. The next save to it tries again, and a read does so at most
    /// once a second. Opening the store again recovers everything.
    case viewUnavailable(path: String, cause: String)
    /// The backend was closed.
    case closed
    /// This process was forked from the one that opened the store at `path`, which goes on using
    /// it. Here nothing can be read or saved, and closing does nothing but close this process's
    /// copies of open files.
    case forked(path: String)
    /// Another record table of the store has that class number.
    case classNumberTaken(UInt8)
    /// Every class number is used.
    case classNumbersExhausted
    /// Rows or keys are not as the batch requires; all of them, in order. Nothing was changed, and
    /// the batch is spent: read the present state, decide again and commit another batch.
    case conflict([Conflict])
    /// The engine does not know any more what has changed since that commit, or there is no such commit yet. It
    /// knows it for `oldest` and every later commit that there is. Read everything again.
    case changesGone(oldest: CommitNumber)
    /// The reader's commit has been given up, because what later commits replaced took too much room,
    /// or could not be read to be kept. Take another reader.
    case snapshotTooOld(CommitNumber)
    /// A batch adds to a key of that table whose value is not 8 bytes long.
    case badAddition(TableNumber)
    /// The connection to the store was lost during the commit: it exists or it does not. `token`
    /// names the commit to the engine that threw this: see ``Backend/outcome(of:)``. For engines over a
    /// network.
    case outcomeUnknown(token: UInt64)
    /// The engine does not have that part of the contract; ``Backend/features`` says so.
    case unsupported(String)
    /// A reason that only the engine `name` has.
    case engine(name: String, reason: String)
    /// A batch writes to a table that was never defined, or that is of another kind.
    case noTable(TableNumber)
    /// `name` cannot name a table, or is taken; letter case does not count.
    case badTableName(String)
    /// The store needs a file or a directory at `path`, where there is a symbolic link, something of
    /// another kind, or a file that does not belong to the store. It was not touched or followed.
    case pathTaken(path: String)
    /// Every row number of the table is used.
    case rowsExhausted(TableNumber)
    /// Every table number is used.
    case tablesExhausted
    /// A key and its value are together larger than `limit` bytes; or a note, or a key of an
    /// ordered table.
    case tooLarge(limit: Int)
    /// Another batch of the same thread is half written; the two would wait for each other.
    case batchInProgress
}

extension BackendError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .busy(let path, let holder):
            holder == "this process"
                ? "This process has the store at \(path) open already. Close it there, or make several "
                    + "stores of one StoreContainer."
                : "The store at \(path) is in use\(holder.isEmpty ? "" : " by \(holder)"). "
                    + "Close it there; beside it a directory can be opened for reading only."
        case .notAStore(let path):
            "\(path) is no store, and no place one can be made in. Name another place."
        case .noStore(let path):
            "There is no store at \(path). Check the path."
        case .logMissing(let path):
            "The store at \(path) is damaged: its log, the directory Journal, is missing or empty. "
                + "Nothing was changed; salvage can read the records in the files that are left."
        case .accessDenied(let path):
            "No permission to use \(path). Check its owner and mode."
        case .readOnly(let path):
            "Nothing can be saved here: the store at \(path) was opened for reading only, or stays at one "
                + "commit. Open it with access .readWrite, or save in a store that container.makeStore() gives."
        case .keyNeeded, .wrongKey, .notEncrypted, .encryptionUnavailable: keyDescription
        case .corrupt(let path, _) where path.hasSuffix("/Journal/Key"):
            "\(path) is missing or damaged. Nothing was changed. Without it nothing of the store can be read, "
                + "so put a copy of it back, as each backup has one."
        case .corrupt(let path, let offset):
            "\(path) is damaged at byte \(offset). Nothing was changed; salvage can read the rest."
        case .newerFormat(let path, let found, let known):
            "\(path) has format \(found), but this Cabinet knows formats up to \(known). "
                + "Use a newer Cabinet."
        case .olderFormat(let path, let found, let oldest):
            "\(path) has format \(found), of a development version of Cabinet; the oldest that is read "
                + "is \(oldest). Export the objects as JSON with the version that wrote them, and "
                + "import them into a new store."
        case .diskFull(let path, 0):
            "No room at \(path): the disk, its table of files (inodes) or the user's quota is "
                + "full. Remove some files and try again."
        case .diskFull(let path, let needed):
            "No room for \(needed) more bytes at \(path). Free some space and save again."
        case .system(let operation, let path, let code):
            "\(operation) failed on \(path): \(String(cString: strerror(code))) "
                + "(system error \(code))."
        case .replaced, .logUnusable, .viewUnavailable: savingDescription
        case .closed:
            "The store is closed."
        case .forked(let path):
            "The store at \(path) was opened before this process was forked, and belongs to the "
                + "process that opened it. Close it there before you open it here."
        case .pathTaken(let path):
            "\(path) is in the way: the store needs that name, and what is there (a symbolic link, "
                + "another kind of file) does not belong to it. Move it away, or if the name is a "
                + "table's, use another storage name."
        default: contentDescription
        }
    }

    /// Why nothing can be saved until the store is opened again.
    private var savingDescription: String {
        switch self {
        case .replaced(let path):
            "The store at \(path), or its log, was moved, removed or replaced while it was open. Close it, and "
                + "open the one to go on with."
        case .logUnusable(let path):
            "The log of \(path) can take no more saves. Open the store anew; "
                + "acknowledged saves are safe."
        case .viewUnavailable(let path, let cause):
            "\(path) could not be brought up to date (\(cause)). Open the store anew; "
                + "acknowledged saves are safe."
        default: ""
        }
    }

    /// What is wrong with a batch or a question, while the store is sound. Names each case, so that none
    /// goes without a description.
    private var contentDescription: String {
        switch self {
        case .noTable(let number):
            "There is no table \(number) of that kind."
        case .badTableName(let name):
            "'\(name)' cannot name a table: 1 to 100 letters, digits, '_' or '-', "
                + "not taken and not reserved."
        case .classNumberTaken(let number):
            "Another table has the class number \(number). Claim the table's definition instead."
        case .classNumbersExhausted:
            "The store has no class numbers left."
        case .conflict([]):
            "Another commit came behind the basis of a batch that must follow it at once. Read "
                + "anew, and commit again."
        case .conflict(let conflicts):
            "\(conflicts.count) rows or keys are not as the batch requires. Read them anew, decide "
                + "again and commit another batch."
        case .changesGone(let oldest):
            "What commits have changed is known from commit \(oldest) on, up to the last one there is: the "
                + "one that was asked for is older, not there yet, or of another copy of the store. Read everything anew."
        case .snapshotTooOld(let number):
            "What the store held at commit \(number) is not kept any more. Take a new snapshot, and "
                + "hold it no longer than needed."
        case .badAddition(let number):
            "A batch adds to a key of table \(number) whose value is no number of 8 bytes."
        case .outcomeUnknown:
            "The connection was lost during the commit, so it is not known whether it was made. "
                + "Connect again, and save again: the store then finds out."
        case .unsupported(let part):
            "This engine does not support \(part)."
        case .engine(let name, let reason):
            "\(name): \(reason)"
        case .rowsExhausted(let number):
            "Table \(number) has no row numbers left."
        case .tablesExhausted:
            "The store has no table numbers left."
        case .tooLarge(let limit):
            "More than \(limit) bytes are too many for a key, for a key with its value, or for the "
                + "metadata of a file. Store less there."
        case .batchInProgress:
            "Another save is half written on this thread. Finish it first."
        case .busy, .notAStore, .noStore, .logMissing, .accessDenied, .readOnly, .corrupt,
            .newerFormat, .olderFormat, .diskFull, .system, .replaced, .logUnusable,
            .viewUnavailable, .closed, .forked, .pathTaken, .keyNeeded, .wrongKey, .notEncrypted,
            .encryptionUnavailable:
            ""
        }
    }

    /// What is wrong with the key of a store.
    private var keyDescription: String {
        switch self {
        case .keyNeeded(let path):
            "The store at \(path) is sealed, or to be sealed, and no key was given. Open it with its key."
        case .wrongKey(let path):
            "What was given is no key of 32 bytes and no passphrase, or not the key by which \(path) is "
                + "sealed. Give another one."
        case .notEncrypted(let path):
            "The store at \(path) is not sealed. Open it without a key, or make a sealed copy of it."
        case .encryptionUnavailable(let path):
            "The store at \(path) needs a key, but this program was built without the trait "
                + "Encryption of the package Cabinet."
        default: ""
        }
    }
}
