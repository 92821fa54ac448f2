import CabinetBackend
import Foundation

extension Store {
    func importJSON(
        from url: URL, unknown: ImportPolicy, progress: Progress?
    ) throws -> ImportReport {
        try checkOpen()
        let file = try ReadFile(url)
        progress?.totalUnitCount = Int64(max(file.size, 1))
        let report = try importJSON(JSONReader(file), unknown, progress)
        progress?.completedUnitCount = progress?.totalUnitCount ?? 0
        return report
    }

    func importJSON(
        _ document: Data, unknown: ImportPolicy
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
