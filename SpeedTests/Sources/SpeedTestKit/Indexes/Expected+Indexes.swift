import CRivals

extension Expected {
    /// The numbers of the songs in the order of their codes, which is that of their titles.
    private static func numbersByCode(_ job: Job) -> [UInt32] {
        let titles = OrderedWork.Titles(job)
        var numbers = [UInt32](repeating: 0, count: Int(job.objects))
        for row in 0..<job.objects { numbers[Int(titles.numbers[Int(row)])] = row }
        return numbers
    }

    /// Twenty songs from the middle on, in each step one further.
    @Sendable static func pages(_ job: Job) -> Proof {
        let numbers = numbersByCode(job)
        var proof = Proof()
        for step in 0..<job.steps {
            for number in numbers.dropFirst(Int(job.objects / 2 + step)).prefix(20) {
                proof.add(number)
            }
        }
        return proof
    }

    /// The first twenty songs, in each step the same.
    @Sendable static func firstPages(_ job: Job) -> Proof {
        let numbers = numbersByCode(job).prefix(20)
        var proof = Proof()
        for _ in 0..<job.steps {
            for number in numbers { proof.add(number) }
        }
        return proof
    }

    /// The songs with an artist of 3, and those of them with a genre of 5.
    private static func groups(_ job: Job) -> (artist: UInt32, both: Proof) {
        var (artist, both) = (UInt32(0), Proof())
        var choices = Job.seed
        for row in 0..<job.objects {
            let isByArtist = speed_next(&choices) % 10 == 3
            let isOfGenre = speed_next(&choices) % 10 == 5
            if isByArtist { artist += 1 }
            if isByArtist, isOfGenre { both.add(row) }
        }
        return (artist, both)
    }

    /// How many songs an artist has.
    @Sendable static func artists(_ job: Job) -> Proof {
        Proof(count: 1, sum: UInt64(groups(job).artist))
    }

    @Sendable static func intersections(_ job: Job) -> Proof {
        let both = groups(job).both
        return Proof(count: both.count * UInt64(job.steps), sum: both.sum * UInt64(job.steps))
    }
}
