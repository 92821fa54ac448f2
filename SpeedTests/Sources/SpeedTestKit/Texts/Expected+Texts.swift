import CRivals

// What searches must find, by a look at every title.
extension Expected {
    @Sendable static func sections(_ job: Job) -> Proof {
        let count = UInt64(Corpus.manual(job).count)
        return Proof(count: count, sum: count == 0 ? 0 : count * (count - 1) / 2)
    }

    @Sendable static func words(_ job: Job) -> Proof {
        hits(job, speed_search_word) { words, ranks in words.contains(ranks[0]) }
    }

    @Sendable static func phrases(_ job: Job) -> Proof {
        hits(job, speed_search_phrase) { words, ranks in
            zip(words, words.dropFirst()).contains { $0 == ranks[0] && $1 == ranks[1] }
        }
    }

    /// Twenty of each, or as many as there are.
    @Sendable static func best(_ job: Job) -> Proof {
        let corpus = Corpus.titles(job)
        var counts: [UInt32: UInt64] = [:]
        var proof = Proof()
        for step in 0..<job.steps {
            let rank = corpus.search(speed_search_frequent, step).ranks[0]
            let count =
                counts[rank]
                ?? UInt64((0..<corpus.count).count { corpus.ranks(of: $0).contains(rank) })
            counts[rank] = count
            proof.count += min(count, 20)
        }
        return proof
    }

    /// The titles of each search that `matches` by their words and the ranks looked for.
    private static func hits(
        _ job: Job, _ search: speed_search,
        _ matches: (UnsafeBufferPointer<UInt32>, [UInt32]) -> Bool
    ) -> Proof {
        let corpus = Corpus.titles(job)
        var proof = Proof()
        for step in 0..<job.steps {
            let ranks = corpus.search(search, step).ranks
            for number in 0..<corpus.count where matches(corpus.ranks(of: number), ranks) {
                proof.add(number)
            }
        }
        return proof
    }

    @Sendable static func parts(_ job: Job) -> Proof {
        let corpus = Corpus.titles(job)
        let words = (0..<corpus.wordCount).map(corpus.word)
        var proof = Proof()
        for step in 0..<job.steps {
            let part = corpus.search(speed_search_substring, step).text
            let holds = words.map { $0.contains(part) }
            for number in 0..<corpus.count
            where corpus.ranks(of: number).contains(where: { holds[Int($0)] }) {
                proof.add(number)
            }
        }
        return proof
    }
}
