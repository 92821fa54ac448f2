import CabinetBackend

/// One promise of `Backend` as a test that any engine can run.
///
/// Every engine runs all rules that apply to it; together they are what "an engine" means.
/// `Sendable`, because a rule never changes.
public struct BackendRule: Sendable, CustomStringConvertible {
    /// The promise, as a sentence. Unique among the rules.
    public let name: String
    /// Whether the store must be opened again during the test.
    public let needsReopening: Bool
    /// Whether the store must be opened a second time during the test, to commit by both.
    public let needsOtherWriters: Bool
    /// The optional parts of the contract that the rule is about.
    public let features: BackendFeatures

    let body: @Sendable (Bench) throws -> Void

    init(
        _ name: String, needsReopening: Bool = false, needsOtherWriters: Bool = false,
        needs features: BackendFeatures = [],
        _ body: @escaping @Sendable (Bench) throws -> Void
    ) {
        self.name = name
        self.needsReopening = needsReopening
        self.needsOtherWriters = needsOtherWriters
        self.features = features
        self.body = body
    }

    public var description: String { name }

    /// Every rule, in the order of the contract.
    public static let all: [BackendRule] =
        records + values + batches + largeBatches + notes + tables + names + numbers + walks
        + ordered + named + cursors + rowsOfEntries + claims + requirements + additions
        + blindDeletes + subscriptions + threads + outcomes + life + reopening + bases + changes
        + lines + keptChanges + erasing + snapshots + frozenModels + frozen + otherWriters

    /// The rules that apply to `engine`.
    public static func rules(for engine: EngineUnderTest) -> [BackendRule] {
        all.filter { $0.applies(to: engine) }
    }

    /// The rules that do not apply to `engine`, as it lacks the part of the contract that they are
    /// about. Show them in a test's report: an engine without a part should not look complete.
    public static func skipped(for engine: EngineUnderTest) -> [BackendRule] {
        all.filter { !$0.applies(to: engine) }
    }

    private func applies(to engine: EngineUnderTest) -> Bool {
        (engine.keepsData || !needsReopening) && (engine.hasOtherWriters || !needsOtherWriters)
            && engine.features.isSuperset(of: features)
    }

    /// Runs the rule on a new store of `engine`, which is closed and removed afterwards.
    ///
    /// - Throws: ``BrokenRule``, which says what was expected and what came instead. A rule that
    ///   does not apply to the engine is not run.
    public func check(_ engine: EngineUnderTest) throws {
        guard applies(to: engine) else { return }
        do {
            let bench = try Bench(engine)
            defer { bench.leave() }
            try body(bench)
        } catch {
            throw BrokenRule(rule: name, engine: engine.description, reason: "\(error)")
        }
    }
}

/// An engine does not keep a rule.
public struct BrokenRule: Error, CustomStringConvertible, Sendable {
    /// The rule's name.
    public let rule: String
    /// The engine's name.
    public let engine: String
    /// What was expected and what came instead, or the error that came.
    public let reason: String

    public var description: String { "\(engine) breaks \"\(rule)\": \(reason)" }
}
