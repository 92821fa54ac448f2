import CRivals
import Cabinet

/// Searches at each keystroke of a person who types.
enum TypedWork {
    /// Which keystrokes count.
    enum Keystrokes {
        /// The first and the second.
        case first
        /// From the third on.
        case later
    }

    /// The time that `share` of the keystrokes do not exceed. The first search of the session,
    /// which finds nothing in memory, is not timed.
    static func type(_ keystrokes: Keystrokes, share: Double) -> Work.CabinetCall {
        { job, shelf in
            var proof = Proof()
            var times: [Double] = []
            let corpus = Corpus.titles(job)
            TextSong.tokenizer.withLock { $0 = .words }
            let store = try shelf.open([TextSong.self])
            _ = try store.search(TextSong.self, SearchQuery(typed: "warm"), limit: 20)
            for query in queries(job, corpus) {
                var found = 0
                let lengths = keystrokes == .first ? 1...2 : 3...query.count
                for length in lengths {
                    let typed = String(decoding: query.prefix(length), as: UTF8.self)
                    let start = speed_clock()
                    found = try store.search(
                        TextSong.self, SearchQuery(typed: typed), in: \.title, limit: 20
                    ).count
                    times.append(speed_clock() - start)
                    proof.add(0)
                }
                guard found > 0 else {
                    throw SpeedTestError.missing(
                        "title like \(String(decoding: query, as: UTF8.self))")
                }
            }
            times.sort()
            let place = Int((Double(times.count) * share).rounded(.up)) - 1
            try shelf.close(store)
            return CabinetWork.Result(proof: proof, seconds: times[place])
        }
    }

    /// Two neighbouring words of a title, with another letter in the place of one that is not the
    /// first, in a word of at least five letters.
    private static func queries(_ job: Job, _ corpus: Corpus) -> [[UInt8]] {
        var state = Job.seed
        func below(_ limit: Int) -> Int { Int(speed_next(&state) % UInt64(limit)) }
        var queries: [[UInt8]] = []
        while queries.count < Int(max(job.steps, 10)) {
            let ranks = corpus.ranks(of: UInt32(below(Int(corpus.count))))
            let first = below(ranks.count - 1)
            var words = ranks[first...first + 1].map { Array(corpus.word($0).utf8) }
            let wrong = below(2)
            guard words[wrong].count >= 5 else { continue }
            let place = 1 + below(words[wrong].count - 1)
            let letter = UInt8(ascii: "a") + UInt8(below(26))
            guard letter != words[wrong][place] else { continue }
            words[wrong][place] = letter
            queries.append(words[0] + [UInt8(ascii: " ")] + words[1])
        }
        return queries
    }

    static func expected(_ keystrokes: Keystrokes) -> @Sendable (Job) -> Proof {
        { job in
            let lengths = queries(job, Corpus.titles(job)).map(\.count)
            let count = lengths.reduce(0) { $0 + (keystrokes == .first ? 2 : $1 - 2) }
            return Proof(count: UInt64(count), sum: 0)
        }
    }
}
