import CabinetBackend

extension Store {
    /// Compares the text indexes with their records, each as of one commit.
    func textFindings(isolation: isolated (any Actor)?) async throws -> [GraphFinding] {
        var findings: [GraphFinding] = []
        for text in try textKeeper?.allTexts().flatMap(\.all) ?? [] {
            let outcome = try makeTextCheck(text)
            findings += outcome.findings
            guard let check = outcome.check else { continue }
            while try check.step() {
                try Task.checkCancellation()
                await Task.yield()
                try checkOpen()
            }
            findings += check.findings
        }
        return findings
    }

    /// As ``textFindings(isolation:)``, at once.
    package func textFindings() throws -> [GraphFinding] {
        var findings: [GraphFinding] = []
        for text in try textKeeper?.allTexts().flatMap(\.all) ?? [] {
            let outcome = try makeTextCheck(text)
            findings += outcome.findings
            guard let check = outcome.check else { continue }
            while try check.step() {}
            findings += check.findings
        }
        return findings
    }

    private func makeTextCheck(
        _ text: ClassText
    ) throws -> (check: TextCheck?, findings: [GraphFinding]) {
        try checkOpen()
        let reader = isIsolated ? try backend.snapshot(label: "check") : backend
        guard let checked = try CheckedText(text, reader, in: self) else { return (nil, []) }
        do {
            return (try TextCheck(checked, reader), [])
        } catch let error as DataBufferError {
            return (nil, [checked.damaged(error)])
        }
    }
}

extension CheckedText {
    /// What is found of an index whose own entries are damaged.
    func damaged(_ error: DataBufferError) -> GraphFinding {
        GraphFinding(.damage, className: className, field: name, reason: "\(error)")
    }
}
