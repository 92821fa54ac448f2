import CabinetBackend

final class ReadFailures {
    private(set) var list: [(row: RowID, error: any Error)] = []

    fileprivate func append(_ row: RowID, _ error: any Error) { list.append((row, error)) }
}

extension ReadFailures? {
    /// Keeps why a record could not be read, or throws it if nothing keeps failures.
    @inline(never)
    func keep(_ error: any Error, _ row: RowID) throws {
        guard let self else { throw error }
        self.append(row, error)
    }
}
