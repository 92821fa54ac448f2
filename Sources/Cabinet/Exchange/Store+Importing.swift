import CabinetBackend
import Foundation

extension Store {
    /// Makes objects of a JSON document that ``exportJSON(_:to:progress:)`` wrote, here or in
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
    /// - Throws: ``StoreError/badImport(line:column:reason:)``, what ``insert(_:)`` would keep back,
    ///   ``StoreError/closed``, `CancellationError`, or a ``BackendError`` for a file that cannot be
    ///   read.
    @discardableResult
    public func importJSON(
        from url: URL, unknown: ImportPolicy = .refuse, progress: Progress? = nil
    ) throws -> ImportReport {
        try checkOpen()
        let file = try ReadFile(url)
        progress?.totalUnitCount = Int64(max(file.size, 1))
        let report = try importJSON(JSONReader(file), unknown, progress)
        progress?.completedUnitCount = progress?.totalUnitCount ?? 0
        return report
    }

    /// Makes objects of a JSON document in memory, as ``importJSON(from:unknown:progress:)`` does.
    @discardableResult
    public func importJSON(
        _ document: Data, unknown: ImportPolicy = .refuse
    ) throws -> ImportReport {
        try checkOpen()
        return try importJSON(JSONReader(DataSource([UInt8](document))), unknown, nil)
    }

    private func importJSON(
        _ reader: JSONReader, _ policy: ImportPolicy, _ progress: Progress?
    ) throws -> ImportReport {
        let document = JSONImport(self, reader, policy)
        let formerRefusal = refusal
        defer { refusal = formerRefusal }
        do {
            try document.read { offset in
                if progress?.isCancelled == true { throw CancellationError() }
                progress?.completedUnitCount = Int64(offset)
            }
            refusal = nil
            try step {
                insertAll(document.objects)
                reconcileEdits()
                if let refusal { throw refusal }
            }
        } catch {
            // They hold one another.
            document.dissolve()
            throw error
        }
        return document.report
    }
}
