import CabinetBackend

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badStorageName(let name):
            "'\(name)' cannot be a storage name: 1 to 100 ASCII letters, digits, '_' or '-', "
                + "and neither 'NamedBuffers' nor 'Journal'. Override storageName in the class: its "
                + "own name is the storage name until then."
        case .sharedStorageName(let name, let classes):
            "The classes \(classes.joined(separator: " and ")) have one storage name, '\(name)'. "
                + "Open the store with one of them, or override storageName."
        case .renamedClass(let name, let now):
            "The class \(name) is called \(now) in this store. Use a newer program, or open the store "
                + "with a class \(now), whose formerStorageNames has '\(name)'."
        case .tooManyClasses(let name):
            "No class number is left for \(name): a store holds 256 classes."
        case .cannotStore(let name, let field, let reason):
            "The field '\(field)' of class \(name) cannot be stored: \(reason)."
        case .badInverse(let name, let field, let reason):
            "The inverse of '\(field)' of class \(name) is wrong: \(reason)."
        case .unclearFields(let name, let fields, let reason):
            "Which values the fields \(fields.map { "'\($0)'" }.joined(separator: ", ")) of class "
                + "\(name) have is unclear: \(reason)."
        case .classNotRegistered(let name):
            "The class \(name) is not registered. Open the store with it."
        case .tooManyLayouts(let name):
            "No layout number is left for \(name)."
        case .badCatalog(let name, let reason):
            "What the catalog says of \(name) cannot be understood: \(reason)"
        case .newerFormat(let name, let field, let found):
            "A newer program has written the catalog: "
                + (field.isEmpty
                    ? "\(found) of class \(name)"
                    : "'\(field)' of class \(name) is of type \(found)")
                + ", which this one does not know. Use a newer program."
        case .badIndex(let name, let index, let reason):
            "The index '\(index)' of class \(name) is refused: \(reason)."
        case .collationChanged(let name, let index, let collation):
            "The index '\(index)' of class \(name) was built with another form of the collation "
                + "\(collation). Raise the collation's version, or let the index follow it."
        case .incompleteIndexes(let names):
            "These indexes are not complete: \(names.joined(separator: ", ")). indexes.build() of a "
                + "store that may save builds them, or says why it cannot."
        case .notSearchable(let name, let text):
            text.isEmpty
                ? "The class \(name) declares no text index."
                : "The class \(name) declares no text index of '\(text)'. One of a computed property "
                    + "is searched by its name: inIndex."
        case .badWeight(let name, let text, let weight):
            "Hits in '\(text)' of \(name) cannot be weighed by \(weight): a weight is a finite number, 0 or more."
        case .outdated(let name):
            "The name or the number of \(name) was taken since this store was opened, or another program "
                + "saves the class by another of its names. Open the store anew."
        case .migrationFailed(let failure):
            failure.description
        case .badMigration(let name, let reason):
            "There can be no migration '\(name)': \(reason)."
        case .migrationUnderWay:
            "Another store over the same backend is running a migration. Try again later."
        default: objectDescription
        }
    }

    /// Why a file cannot be written, or not be used.
    private var fileDescription: String {
        switch self {
        case .fileChanged(let path):
            "Another program has changed \(path). Save elsewhere, overwrite it, or revert."
        case .fileMissing(let path):
            "\(path) was moved or removed. Save elsewhere, or overwrite it."
        case .fileDamaged(let path):
            "\(path) is damaged, and saving would drop what could not be read. Save elsewhere, or "
                + "overwrite it."
        case .unsavedEdits(let path):
            "A program had \(path) open when it crashed, or left edits of it unsaved. Open it and save or "
                + "revert it first, or overwrite it."
        case .noFile:
            "The document has no file yet. Save it as one."
        case .cannotExport(let name, let reason):
            "Objects of class \(name) cannot be exported: \(reason)."
        case .leftUnsealed(let name):
            "The store was begun with the records of \(name) unsealed. Decrypt it and encrypt the copy, "
                + "which seals all classes, or let isEncrypted of the class be false."
        case .badImport(let line, let column, let reason):
            "Nothing can be imported: \(reason) (line \(line), column \(column))."
        default: ""
        }
    }

    /// What is wrong with one object, its record or its references.
    private var objectDescription: String {
        switch self {
        case .notInserted(let name):
            "An object of class \(name) is referred to but not in the store. Insert it first."
        case .wrongStore("NamedBuffers"):
            "A named buffer holds references into another store."
        case .wrongStore(let name):
            "An object of class \(name) belongs to another store."
        case .badReference(let name, let row, let field, let reason):
            "\(name) \(row) cannot be saved with what "
                + (field.isEmpty ? "it" : "'\(field)'") + " refers to: \(reason)"
        case .wrongClass(let expected, let found):
            "A reference to \(expected) holds an object of class \(found). "
                + "Use the calls for references of any class."
        case .cannotWrite(let name, let row, let reason):
            "\(name) \(row) cannot be written: \(reason)"
        case .cannotWriteName(let name, let reason):
            "The named buffer '\(name)' cannot be written: \(reason)"
        case .pendingChanges(let name, let row):
            "The object in row \(row) of '\(name)' has pending changes, which would be lost. Save "
                + "them, or roll back the object."
        case .contentNotRead(let name, let row):
            "\(name) \(row) was never read whole, so it cannot be written. "
                + "Roll back the object, or all changes."
        case .notThen(let name, let row, let commit):
            "There was no \(name) in row \(row) as of commit \(commit)."
        case .cannotRead(let name, let row, let reason):
            "\(name) \(row) cannot be read: \(reason)"
        case .cannotDecode(let name, let row, let field, let reason):
            "'\(field)' of \(name) \(row) cannot be read, and keeps what the record holds for it: "
                + "\(reason)"
        case .refusedByClass(let name, let row, let reason):
            "\(name) \(row) cannot be read: \(reason)"
        case .newerVersion(let name, let row, let found, let known):
            "\(name) \(row) was written by version \(found) of its class; this program knows "
                + "versions up to \(known). Use a newer program."
        case .unknownLayout(let name, let row, let number):
            "\(name) \(row) was written in layout \(number), which the catalog does not know."
        case .fieldChanged(let name, let row, let field, let from, let to):
            "\(name) \(row) holds \(from) for '\(field)', which does not become \(to) by "
                + "itself. Override upgrade(from:)."
        case .handWrittenRecord(let name, let row, let version):
            "\(name) \(row) was written by hand by version \(version) of its class. "
                + "Override readContent(from:) to read it."
        case .rowGone(let name, let row):
            "\(name) \(row) is gone."
        case .foreignID(let name):
            "The ID of an object of class \(name) belongs to another store."
        case .notInStore(let name):
            "The object of class \(name) is not in this store. Insert it first."
        case .triggersUnstable(let classes):
            "Triggers of \(classes.joined(separator: ", ")) change objects each time they are called. "
                + "Change nothing where nothing is to be changed."
        case .triggersInterrupted:
            "A save was not made, and what its triggers had changed was changed again meanwhile. Roll back."
        case .badTrigger(let name, let trigger, let reason):
            "\(name) cannot have the trigger '\(trigger)': \(reason)"
        default: callDescription
        }
    }

    /// Why a save, a delete or another call cannot be. Names each case, so that none goes without a
    /// description.
    private var callDescription: String {
        switch self {
        case .indexLeftOut(let name, let index):
            "A save would have left '\(index)' of class \(name) without what it changes, so nothing was "
                + "saved. Try again, and report this fault of Cabinet."
        case .notUnique(let name, let index, let row, let other):
            "\(name) \(row) has the key of \(name) \(other) in the unique index '\(index)'."
        case .keyTooLong(let name, let index, let row):
            "The key of \(name) \(row) takes more than \(OrderedKey.longestWhole) bytes, which is too "
                + "long for the unique index '\(index)': of a text, its UTF-8 and 2 bytes."
        case .denied(let name, let row, let reason):
            "\(name) \(row) cannot be deleted: \(reason)"
        case .deniedByRule(let name, let row, let field, let others):
            "\(name) \(row) cannot be deleted while '\(field)' holds "
                + others.prefix(5).joined(separator: ", ")
                + (others.count > 5 ? " and \(others.count - 5) more" : "")
                + ". Take them out or delete them first."
        case .invalid(let failures):
            failures.count == 1
                ? "\(failures[0])"
                : "\(failures.count) objects cannot be saved as they are: "
                    + failures.prefix(5).map(\.description).joined(separator: " · ")
                    + (failures.count > 5 ? " …" : "")
        case .validationUnstable(let classes):
            "validate() of \(classes.joined(separator: ", ")) changes objects each time it is "
                + "called. Change nothing where nothing is wrong."
        case .enumerating:
            "Not possible while objects are being enumerated. Do it afterwards."
        case .stepUnderWay:
            "Not possible in the middle of a group, a delete, a save or a change. Do it afterwards."
        case .conflict(let conflicts):
            "Another store has saved other changes: "
                + conflicts.prefix(5).map(\.description).joined(separator: "; ")
                + (conflicts.count > 5 ? "; and \(conflicts.count - 5) more" : "")
                + ". Save with another conflict policy, or roll back the objects."
        case .changedSince(let name, let row):
            "\(name) \(row) was changed by another store or a trigger since, so the step cannot be taken back."
        case .badAuthor(let text):
            "No commit can be of the author '\(text.prefix(40))', a text of \(text.utf8.count) bytes. Set "
                + "one of 1 to 256 bytes of UTF-8, or none."
        case .reservedName(let name): "'\(name)' is a name of Cabinet's own. Choose another one."
        case .stillKept(let names):
            "The store's files still have what was purged, for \(names.joined(separator: ", "))."
        case .noRelationship(let name): "\(name) does not declare that property by @Many."
        case .closed: "The store is closed."
        case .fileChanged, .fileMissing, .fileDamaged, .unsavedEdits, .noFile, .cannotExport,
            .badImport, .leftUnsealed:
            fileDescription
        case .badStorageName, .sharedStorageName, .renamedClass, .tooManyClasses,
            .cannotStore, .badInverse, .unclearFields, .classNotRegistered, .tooManyLayouts,
            .badCatalog,
            .newerFormat, .badIndex, .collationChanged, .incompleteIndexes, .notSearchable,
            .badWeight, .outdated, .migrationFailed, .badMigration, .migrationUnderWay,
            .notInserted, .wrongStore, .badReference, .wrongClass, .cannotWrite, .cannotWriteName,
            .pendingChanges, .contentNotRead, .cannotRead, .cannotDecode, .refusedByClass,
            .newerVersion, .unknownLayout, .fieldChanged, .handWrittenRecord, .rowGone, .foreignID,
            .notInStore, .notThen, .triggersUnstable, .triggersInterrupted, .badTrigger:
            ""
        }
    }
}
