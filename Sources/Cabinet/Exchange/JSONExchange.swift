import Foundation

/// Moves objects of a store to JSON documents and back: what ``Store/json`` gives.
///
/// ```swift
/// try store.json.export(to: url)
/// try other.json.import(from: url)
/// ```
///
/// Not `Sendable`: it belongs to the isolation domain of its store.
public struct JSONExchange {
    let store: Store

    /// Writes all objects of the classes `types`, with their relationships, as one JSON document:
    /// what ``import(from:unknown:progress:)`` reads.
    ///
    /// ```json
    /// {"format":"cabinet-export","version":1,"objects":[
    /// {"class":"Song","row":2,"fields":{"title":"Echoes","album":{"class":"Album","row":5}}}
    /// ]}
    /// ```
    ///
    /// Each object stands on a line of its own. Values are written as `cabinet-inspect dump --json`
    /// writes them (see <doc:Inspecting>), a `Codable` value as JSON of its own. Pending changes
    /// count. Classes come in the order given, their objects by rows, sets sorted, so that the same content
    /// gives the same document. Objects of other classes are referred to but not written. Named buffers
    /// are not written.
    ///
    /// Memory: one object with its text, and 4 bytes for each object of a class. The file gets its name when it is
    /// whole, in place of a file or a link that had it, and is synced before; a pipe or a device is written as it
    /// is. Only the user may read it, as the store's own files.
    /// - Parameters:
    ///   - types: the classes; their subclasses are not looked at.
    ///   - url: the file.
    ///   - progress: counts the objects; cancel it to stop.
    /// - Returns: how many objects were written.
    /// - Throws: ``StoreError/cannotExport(class:reason:)`` for a class that writes its content by
    ///   hand, as its references cannot be found; ``StoreError/classNotRegistered(_:)``; what
    ///   `load()` throws of an object that cannot be read; `CancellationError`; a ``BackendError``.
    ///   Then a file that was there is as before.
    @discardableResult
    public func export(
        _ types: [StoredObject.Type], to url: URL, progress: Progress? = nil
    ) throws -> Int { try store.exportJSON(types, to: url, progress: progress) }

    /// Writes all objects of all registered classes, as ``export(_:to:progress:)`` does.
    @discardableResult
    public func export(to url: URL, progress: Progress? = nil) throws -> Int {
        try store.exportJSON(store.classes.map(\.type), to: url, progress: progress)
    }

    /// Writes `objects` and every object that they lead to by relationships, each once, as
    /// ``export(_:to:progress:)`` does, in the order in which they are reached.
    ///
    /// Memory: a bit for each row that is written, 8 bytes for each object that is reached,
    /// and one object.
    /// - Throws: also ``StoreError/notInStore(class:)``, ``StoreError/wrongStore(class:)``.
    @discardableResult
    public func export(
        from objects: [StoredObject], to url: URL, progress: Progress? = nil
    ) throws -> Int { try store.exportJSON(from: objects, to: url, progress: progress) }

    /// Makes objects of a JSON document that ``export(_:to:progress:)`` wrote, here or in
    /// another store, and inserts them. The next save writes them.
    ///
    /// Each object gets a row of its own, whatever its row in the document; those of a class get ascending
    /// rows in the document's order. Relationships lead to the objects of the document: importing twice
    /// makes each object twice. Fields that the document lacks have their initial values. A class or a field is also found by a name that it
    /// had before (`formerStorageNames`, `was:`). Relationships with an inverse are brought into
    /// line, should the document have one side only. References within the bytes of a `BufferValue`
    /// of your own cannot be followed.
    ///
    /// All or nothing: after an error nothing is pending that was not before, and with undo on an
    /// import is one step. Memory: the objects, which stay pending, 100 bytes for each, and one
    /// object's text; the file is read 64 KiB at a time.
    ///
    /// The document may come from anywhere: no bytes can do harm. Values nested more than 256 deep,
    /// and objects of more than ``RecordDecoder/valueLimit`` values, are refused.
    /// - Parameters:
    ///   - url: the file.
    ///   - unknown: what becomes of classes and fields that the program does not have, and of
    ///     references to objects that are not in the document.
    ///   - progress: counts the bytes of the file; cancel it to stop.
    /// - Throws: ``StoreError/badImport(line:column:reason:)``, what ``Store/insert(_:)`` would keep back,
    ///   ``StoreError/closed``, `CancellationError`, or a ``BackendError`` for a file that cannot be
    ///   read.
    @discardableResult
    public func `import`(
        from url: URL, unknown: ImportPolicy = .refuse, progress: Progress? = nil
    ) throws -> ImportReport {
        try store.importJSON(from: url, unknown: unknown, progress: progress)
    }

    /// Makes objects of a JSON document in memory, as ``import(from:unknown:progress:)`` does.
    @discardableResult
    public func `import`(
        _ document: Data, unknown: ImportPolicy = .refuse
    ) throws -> ImportReport { try store.importJSON(document, unknown: unknown) }
}

extension Store {
    /// Exports objects as JSON, and imports them.
    public var json: JSONExchange { JSONExchange(store: self) }
}
