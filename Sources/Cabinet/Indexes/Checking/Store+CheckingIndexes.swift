import CabinetBackend

extension Store {
    /// Compares the indexes with their records, each as of one commit.
    func indexFindings(isolation: isolated (any Actor)?) async throws -> [GraphFinding] {
        try await findings(of: allIndexes(), isolation: isolation, makeIndexCheck)
    }

    /// As ``check(progress:isolation:)``, of the indexes alone, and at once.
    package func indexFindings() throws -> [GraphFinding] {
        try findings(of: allIndexes(), makeIndexCheck)
    }

    private func allIndexes() throws -> [ClassIndex] {
        try indexKeeper?.allIndexes().flatMap(\.all) ?? []
    }

    private func makeIndexCheck(_ index: ClassIndex) throws -> (any StepwiseCheck)? {
        let reader = try readerForCheck()
        return try CheckedIndex(index, reader, in: self).map { try IndexCheck($0, reader) }
    }

    var unusedIndexes: [String] {
        let all = (try? allIndexes()) ?? []
        return all.filter { $0.isComplete && $0.uses == 0 }.map(\.fullName)
    }
}
