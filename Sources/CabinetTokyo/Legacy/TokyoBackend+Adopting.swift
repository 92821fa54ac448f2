import CabinetBackend

extension TokyoBackend {
    func adopt() throws(BackendError) { throw .notAStore(path: location) }
}
