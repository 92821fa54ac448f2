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

    /// Complete indexes that no query has used, as "class.index".
    func unusedIndexes() throws -> [String] {
        try allIndexes().filter { $0.isComplete && $0.uses == 0 }.map(\.fullName)
    }

    /// Indexes that queries cannot use, as "class.index".
    func indexesLackingKeys() throws -> [String] {
        try allIndexes().filter(lacksKeys).map(\.fullName)
    }

    /// Whether an index is not complete. The first save of a class without records defines its indexes:
    /// until then they lack nothing.
    private func lacksKeys(_ index: ClassIndex) throws -> Bool {
        if index.isComplete { return false }
        return try index.entry != nil || reader.count(of: index.storedClass.table) > 0
    }
}
