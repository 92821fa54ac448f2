import CabinetBackend

/// Compares what follows from records with these, a part at a time.
protocol StepwiseCheck: AnyObject {
    /// Looks at about 256 KiB more. `false` at the end.
    func step() throws -> Bool
    /// What was found, at the end.
    var findings: [GraphFinding] { get }
}

/// A check that cannot begin, for what it would have to read is damaged.
final class ImpossibleCheck: StepwiseCheck {
    let findings: [GraphFinding]

    init(_ finding: GraphFinding) { findings = [finding] }

    func step() -> Bool { false }
}

extension Store {
    /// Makes a check of each subject when its turn comes, and runs it. Between steps other work of the
    /// store's isolation domain has its turn.
    func findings<Subject>(
        of subjects: [Subject], isolation: isolated (any Actor)?,
        _ makeCheck: (Subject) throws -> (any StepwiseCheck)?
    ) async throws -> [GraphFinding] {
        var findings: [GraphFinding] = []
        for subject in subjects {
            try checkOpen()
            guard let check = try makeCheck(subject) else { continue }
            while try check.step() {
                try Task.checkCancellation()
                await Task.yield()
                try checkOpen()
            }
            findings += check.findings
        }
        return findings
    }

    /// Likewise, at once.
    func findings<Subject>(
        of subjects: [Subject], _ makeCheck: (Subject) throws -> (any StepwiseCheck)?
    ) throws -> [GraphFinding] {
        try checkOpen()
        return try subjects.flatMap { subject -> [GraphFinding] in
            guard let check = try makeCheck(subject) else { return [] }
            while try check.step() {}
            return check.findings
        }
    }

    /// As of one commit, from which a check reads.
    func readerForCheck() throws -> any BackendReader {
        isIsolated ? try backend.snapshot(label: "check") : backend
    }
}
