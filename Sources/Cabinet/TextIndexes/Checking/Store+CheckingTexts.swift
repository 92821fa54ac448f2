import CabinetBackend

extension Store {
    /// Compares the text indexes with their records, each as of one commit.
    func textFindings(isolation: isolated (any Actor)?) async throws -> [GraphFinding] {
        try await findings(of: allTexts(), isolation: isolation, makeTextCheck)
    }

    /// As ``textFindings(isolation:)``, at once.
    package func textFindings() throws -> [GraphFinding] {
        try findings(of: allTexts(), makeTextCheck)
    }

    private func allTexts() throws -> [ClassText] {
        try textKeeper?.allTexts().flatMap(\.all) ?? []
    }

    private func makeTextCheck(_ text: ClassText) throws -> (any StepwiseCheck)? {
        let reader = try readerForCheck()
        return try CheckedText(text, reader, in: self)?.check(reader)
    }
}

extension CheckedText {
    /// Compares the index with its records as of `reader`.
    func check(_ reader: any BackendReader) throws -> any StepwiseCheck {
        do {
            return try TextCheck(self, reader)
        } catch let error as DataBufferError {
            return ImpossibleCheck(
                GraphFinding(.damage, className: className, field: name, reason: "\(error)"))
        }
    }
}
