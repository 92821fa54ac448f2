extension Fault {
    /// The rules that this fault must break, by name.
    var breaks: [String] { breaksAlone + breaksBesideOthers }

    /// Those of them that are about several writers.
    private var breaksBesideOthers: [String] {
        switch self {
        case .overlooksOthers: ["what another writer has committed is seen after a refresh"]
        case .ignoresBases:
            [
                "a batch conflicts with what another writer has changed",
                "several writers who each add to what they have read lose nothing",
            ]
        case .putsAdditions: ["additions of several writers all count"]
        case .tellsOwnCommits: ["the feed tells the commits of several writers in order"]
        case .thaws: ["a frozen reader sees nothing of another writer's commits"]
        case .givesOutForItself: ["rows and tables are given out to one of several writers"]
        case .grantsAllWork, .keepsWorkToTheEnd:
            ["work is claimed by one of several writers, and ends with it"]
        case .announcesTwice: ["a subscription hears of another writer's commits"]
        case .forgetsOutcomes: ["a commit whose answer was lost is known beside another writer"]
        default: []
        }
    }
}
