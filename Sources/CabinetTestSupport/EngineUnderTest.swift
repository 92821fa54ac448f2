import CabinetBackend

/// An engine as the rules see it: how a store of it is opened.
///
/// ```swift
/// static let memory = EngineUnderTest("memory", keepsData: false) { _, access in
///     MemoryBackend(access: access)
/// }
///
/// @Test(arguments: BackendRule.rules(for: memory))
/// func keepsRule(_ rule: BackendRule) throws { try rule.check(memory) }
/// ```
public struct EngineUnderTest: Sendable, CustomStringConvertible {
    /// Opens the store in a directory, which is empty the first time.
    public typealias Opening =
        @Sendable (_ directory: TemporaryDirectory, _ access: Access) throws -> any Backend

    /// What reports call the engine.
    public let description: String
    /// Whether a store that is closed and opened again has what was committed. Rules that need
    /// this do not apply to other engines.
    public let keepsData: Bool

    /// Whether a store that is open may be opened again, to commit by both: `Backend.hasOtherWriters`. Rules
    /// that need this do not apply to other engines.
    public let hasOtherWriters: Bool

    /// The optional parts of the contract that the engine keeps. Rules about others do not apply;
    /// that the engine has these and no others is a rule.
    public let features: BackendFeatures

    /// Has the next commit of a backend throw `BackendError.outcomeUnknown`, after it was made or
    /// without being made.
    public typealias LosingAnswers = @Sendable (_ backend: any Backend, _ isMade: Bool) -> Void

    /// After how many seconds a rule takes it that a call waits for another. An engine that is sound is quick, however
    /// busy the machine; tests of the rules make it short for one that is not.
    package var patience = 20.0

    let open: Opening
    /// `nil` for an engine that always knows what became of a commit.
    let loseAnswer: LosingAnswers?

    /// An engine called `name` in reports, whose stores `open` opens. One that may lose the answer to a
    /// commit is made to by `loseAnswer`, so that a rule can see whether it finds out what became of it.
    public init(
        _ name: String, keepsData: Bool, hasOtherWriters: Bool = false,
        features: BackendFeatures = .all,
        losingAnswers loseAnswer: LosingAnswers? = nil, open: @escaping Opening
    ) {
        description = name
        self.keepsData = keepsData
        self.hasOtherWriters = hasOtherWriters
        self.features = features
        self.loseAnswer = loseAnswer
        self.open = open
    }
}
