import Cabinet
import CabinetBackend
import Foundation

/// Prints every record of a class that this program does not have.
func printRecords(of name: String, in backend: any Backend) throws {
    let decoder = RecordDecoder(try StoreSchema(backend))
    guard let storedClass = decoder.schema[name] else { return }
    let cursor = try backend.records(in: storedClass.table)
    let run = RecordRun()
    while try cursor.next(run) {
        while let (row, bytes) = run.next() {
            let record = try decoder.decode(bytes, row: row, of: storedClass)
            for field in record.fields ?? [] { print(row, field.name, field.value) }
        }
    }
}

/// Prints what is wrong with a store; saves may go on meanwhile.
func printTroubles(of store: Store, isolation: isolated (any Actor)? = #isolation) async throws {
    let report = try await store.check(progress: Progress(totalUnitCount: 0))
    for finding in report.findings where finding.kind.isFault { print(finding) }
}
