import CabinetBackend

/// Why a store could not do what it was asked. A failure of the disk is a ``BackendError``.
///
/// Unless a case says otherwise, nothing has changed and all pending changes are still pending.
public enum StoreError: Error, Hashable, Sendable {
    /// `name` cannot be a storage name.
    case badStorageName(String)
    /// Two classes that the store was to be opened with have, or had, the same storage name; letter
    /// case does not count. The store was not opened.
    case sharedStorageName(String, classes: [String])
    /// A newer program has renamed the class, whose objects are in the store as those of class `now`; what
    /// this program saves would stand beside them. The store was not opened.
    case renamedClass(String, now: String)
    /// The class is to be sealed, and the store was begun with its records unsealed. The store was not opened.
    case leftUnsealed(String)
    /// The store has 256 classes already.
    case tooManyClasses(String)
    /// The class declares a field that cannot be stored. The store was not opened.
    case cannotStore(class: String, field: String, reason: String)
    /// The inverse that the relationship names does not lead back. The store was not opened.
    case badInverse(class: String, field: String, reason: String)
    /// Which fields of earlier programs these fields are cannot be decided by their names; `reason` says
    /// what to write. The store was not opened; if a save throws this, nothing was saved.
    case unclearFields(class: String, fields: [String], reason: String)
    /// The class is not among those the store was opened with. References into it are kept as they
    /// are: open the store with the class to use them.
    case classNotRegistered(String)
    /// An object of this class is referred to but was never inserted.
    case notInserted(class: String)
    /// The object belongs to another store; of class "NamedBuffers", a named buffer.
    case wrongStore(class: String)
    /// The object in `row` was not saved, as it refers in `field` to an object that it cannot refer
    /// to, for that reason; an empty `field`: of a class that writes its records by itself.
    indirect case badReference(class: String, row: RowID, field: String, reason: StoreError)
    /// A reference of class `expected` holds an object of class `found`. Use the calls for
    /// references of any class.
    case wrongClass(expected: String, found: String)
    /// The object's content cannot be written.
    case cannotWrite(class: String, row: RowID, reason: DataBufferError)
    /// The named buffer cannot be written.
    case cannotWriteName(String, reason: DataBufferError)
    /// The object's content was never read whole, so writing it would lose what was there.
    /// `rollback(_:)` it, or `rollback()`.
    case contentNotRead(class: String, row: RowID)
    /// There was no object in the row as of that commit.
    case notThen(class: String, row: RowID, commit: CommitNumber)
    /// What was purged is gone from history, and files have it still: the log, which keeps it for these names of
    /// the feed, as for indexes of any class that a program without them has left behind, or these tables of text
    /// indexes that the program does not declare. Purge again once the first have passed it, and indexes were
    /// opened by their program or unregistered.
    case stillKept(by: [String])
    /// The record is too short or holds what the class does not understand.
    case cannotRead(class: String, row: RowID, reason: DataBufferError)
    /// What the record holds for `field`, of a `Codable` type, could not be decoded when the field
    /// was first touched. The field has its initial value, and the record keeps its bytes until the
    /// field is set.
    case cannotDecode(class: String, row: RowID, field: String, reason: DataBufferError)
    /// The class's own `readContent(from:)` refused the record.
    case refusedByClass(class: String, row: RowID, reason: String)
    /// The record was written by version `found` of the class; the program knows versions up to
    /// `known`.
    case newerVersion(class: String, row: RowID, found: UInt8, known: UInt8)
    /// The record was written in a layout that the catalog does not know.
    case unknownLayout(class: String, row: RowID, number: UInt16)
    /// What the record holds for `field` is no value of the field as it is declared now. Override
    /// `upgrade(from:)` to say what becomes of it.
    case fieldChanged(class: String, row: RowID, field: String, from: String, to: String)
    /// The record is of the time when `version` of the class wrote by hand. Override
    /// `readContent(from:)` to read it.
    case handWrittenRecord(class: String, row: RowID, version: UInt8)
    /// The class has had 65,535 layouts.
    case tooManyLayouts(class: String)
    /// What the catalog says of the class cannot be understood. The store was not opened.
    case badCatalog(class: String, reason: String)
    /// A newer program has written what the catalog says of the class in a form that this one does not know:
    /// `found` is the type of `field`, or says what else. Use a newer program. The store was not opened.
    case newerFormat(class: String, field: String, found: String)
    /// The class declares an index that cannot be kept, and the store was not opened; or an index was asked
    /// for something that it is not for, and nothing has changed.
    case badIndex(class: String, index: String, reason: String)
    /// The collation of an index orders texts differently than when the index was built: its own code,
    /// or Unicode's tables, have changed. The store was not opened. Raise the collation's version, or
    /// declare the index with ``Index/followingCollations()``.
    case collationChanged(class: String, index: String, collation: String)
    /// A save was to leave out an index or a text index that counts as kept by all saves. Nothing was saved,
    /// and saving again may succeed. This is a fault of Cabinet: please report it.
    case indexLeftOut(class: String, index: String)
    /// The object in `row` has the key of the one in `by`, and the index is unique.
    case notUnique(class: String, index: String, row: RowID, by: RowID)
    /// The key of the object in `row` takes more than 1,019 bytes, and the index is unique.
    case keyTooLong(class: String, index: String, row: RowID)
    /// These indexes, as "class.index", are not complete: they are being built, are behind, or cannot be
    /// built.
    case incompleteIndexes([String])
    /// The class declares no text index, or none of the property or of the name `text`.
    case notSearchable(class: String, text: String)
    /// A search weighs the text index `text` by a number that is negative, infinite or not a number.
    case badWeight(class: String, text: String, weight: Double)
    /// There is no record in the row any more.
    case rowGone(class: String, row: RowID)
    /// A delete was prevented. For `prepareForDelete()` to throw.
    case denied(class: String, row: RowID, reason: String)
    /// A delete was prevented by the rule of the relationship `field`, in which the objects `by`
    /// stand: class and row of each.
    case deniedByRule(class: String, row: RowID, field: String, by: [String])
    /// Objects refused to be saved as they are, by what their `validate()` threw. Everything is
    /// still pending.
    case invalid([InvalidObject])
    /// `validate()` of objects of these classes changed objects each time it was called, 10 times.
    case validationUnstable(classes: [String])
    /// Triggers of these classes change objects each time they are called, in 1,000 rounds.
    case triggersUnstable(classes: [String])
    /// A save of which an engine did not know for a while whether it was made was not made, and objects that
    /// its triggers had changed were changed again meanwhile: roll back.
    case triggersInterrupted
    /// The class declares a trigger that cannot be called. The store was not opened.
    case badTrigger(class: String, trigger: String, reason: String)
    /// An ID of class `class` belongs to another store.
    case foreignID(class: String)
    /// Not possible while objects are being enumerated.
    case enumerating
    /// Not possible inside a group, a delete, a save, or a call to the delegate that comes before
    /// a change.
    case stepUnderWay
    /// Other stores have changed objects with pending changes here, or deleted what these refer to;
    /// the last save would have undone that. Save with another ``ConflictPolicy``, or `rollback(_:)`
    /// the objects, which drops what is pending of them.
    case conflict([ObjectConflict])
    /// Reading the object again would drop what is pending of it: save it, or `rollback(_:)` it.
    case pendingChanges(class: String, row: RowID)
    /// The step cannot be taken back, or made again, because another store has changed the object
    /// since, and that would be lost. The step stays; `removeAll()` of the undo history forgets it.
    case changedSince(class: String, row: RowID)
    /// Another user of the same backend has defined a table with the class's name or number without claiming it,
    /// has begun to save the class under a name that it had, or has renamed it. Open this store again.
    case outdated(class: String)
    /// A migration threw. What it changed was taken back.
    case migrationFailed(MigrationFailure)
    /// The migration cannot be one of the program's. The store was not opened.
    case badMigration(name: String, reason: String)
    /// The store's ``Store/author`` is empty, or has more than 256 bytes of UTF-8. Nothing was saved.
    case badAuthor(String)
    /// Cabinet itself keeps commits under the name. Nothing was changed.
    case reservedName(String)
    /// Another store over the same backend is running a migration just now. Try again later.
    case migrationUnderWay
    /// Objects of the class cannot be written as JSON. The file is as before.
    case cannotExport(class: String, reason: String)
    /// The input is no such document, or does not fit the store, from that position on: line and
    /// column, counted in bytes, from 1 on. Nothing was imported.
    case badImport(line: Int, column: Int, reason: String)
    /// A property of the class is no relationship to many that it declares by @Many, so that a live list could not
    /// follow it.
    case noRelationship(class: String)
    /// Another program has changed the store file since it was last read or written here. Save it elsewhere,
    /// overwrite it, or revert.
    case fileChanged(path: String)
    /// The store file was moved or removed. Save it elsewhere, or overwriting: then it is made anew.
    case fileMissing(path: String)
    /// The store file was damaged when it was opened, and saving would drop what could not be read. Save it
    /// elsewhere, or overwrite it.
    case fileDamaged(path: String)
    /// Edits of the file at `path` were left unsaved, or may have been by a program that crashed: open it and save
    /// or revert it first, or overwrite it.
    case unsavedEdits(path: String)
    /// The document has no file yet: save it as one.
    case noFile
    /// The object is not in this store.
    case notInStore(class: String)
    /// The store was closed.
    case closed
}
