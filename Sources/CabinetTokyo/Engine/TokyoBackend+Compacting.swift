import CabinetBackend

extension TokyoBackend {
    func noteCommit() {}
}
