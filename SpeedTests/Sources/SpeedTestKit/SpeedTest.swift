/// A test: what is measured, on how much, and what must come out.
public struct SpeedTest: Sendable {
    /// As results call it: the program's name without its `Test`, and what tells its parts apart.
    let name: String
    /// What the time is divided by, in the singular.
    let unit: String
    /// What a store holds, in the plural.
    let things: String
    /// How many objects there are, each a share of the million that is usual.
    var shares: [Double] = [1]
    /// How many saves or fetches, as a share of the objects; `nil` where all objects are meant.
    var stepShare: Double?
    var isFull = true

    /// What makes the store that the work needs; `nil` for an empty directory.
    var preparation: Work?
    /// What to call the store if the work leaves it as it was, so that it serves every run and
    /// other tests; `nil` if each run needs a new one.
    var stock: String?
    let work: Work
    /// What the work must have met.
    let expected: @Sendable (Job) -> Proof
    /// The engines that take part.
    var engines = Engine.compared
    /// What looks at the store afterwards, beyond the clock, and what it must meet.
    var check: (work: Work, expected: @Sendable (Job) -> Proof)?

    func job(objects: Int, in directory: String) -> Job {
        // Files are fewer than titles.
        let least = Corpus.isOfFiles ? 100 : 1
        let steps = stepShare.map { max(least, Int(Double(objects) * $0)) } ?? 0
        return Job(
            directory: directory, objects: UInt32(objects), steps: UInt32(steps), isFull: isFull)
    }

    /// How many objects there are in a program that runs the test once, of the `full` share.
    func objects(of full: Int) -> Int {
        shares[0] == 1 ? full : max(100, Int(Double(full) * shares[0]))
    }

    /// How many units the work is.
    func units(of objects: Int) -> Int {
        guard unit != "opening", unit != "keystroke" else { return 1 }
        let job = job(objects: objects, in: "")
        return job.steps == 0 ? objects : Int(job.steps)
    }

    static func named(_ name: String) throws -> SpeedTest {
        guard let test = (every + declared).first(where: { $0.name == name }) else {
            throw SpeedTestError.badOption("--test \(name)")
        }
        return test
    }

    /// The tests of the program called `program`.
    static func tests(of program: String) -> [SpeedTest] {
        every.filter { $0.name == program || $0.name.hasPrefix(program + ".") }
    }
}

/// What the tests must come to, reckoned without any engine.
enum Expected {
    /// Each of the numbers from 0 on once.
    @Sendable static func all(_ job: Job) -> Proof {
        let count = UInt64(job.objects)
        return Proof(count: count, sum: count * (count - 1) / 2)
    }

    @Sendable static func allTwice(_ job: Job) -> Proof {
        Proof(count: all(job).count * 2, sum: all(job).sum * 2)
    }

    @Sendable static func allRaised(_ job: Job) -> Proof {
        Proof(count: all(job).count, sum: all(job).sum + UInt64(job.objects))
    }

    @Sendable static func allWithSteps(_ job: Job) -> Proof {
        Proof(count: all(job).count, sum: all(job).sum + UInt64(job.steps))
    }

    @Sendable static func first(_ job: Job) -> Proof { Proof(count: 1, sum: 0) }

    /// The song of each step.
    @Sendable static func steps(_ job: Job) -> Proof {
        var proof = Proof()
        var choices = job.choices
        for _ in 0..<job.steps { proof.add(choices.next()) }
        return proof
    }

    /// The song of each step, raised by one each time it is chosen.
    @Sendable static func stepsRaised(_ job: Job) -> Proof {
        var proof = Proof()
        var choices = job.choices
        var raised: [UInt32: UInt32] = [:]
        for _ in 0..<job.steps {
            let number = choices.next()
            raised[number, default: 0] += 1
            proof.add(number + raised[number, default: 0])
        }
        return proof
    }

    /// The songs of all playlists.
    @Sendable static func entries(_ job: Job) -> Proof { entries(job, places: 0..<100) }

    /// The first songs of all playlists.
    @Sendable static func firstEntries(_ job: Job) -> Proof { entries(job, places: 0..<1) }

    private static func entries(_ job: Job, places: Range<Int>) -> Proof {
        var proof = Proof()
        var choices = job.choices
        for _ in 0..<job.objects / 100 {
            for place in 0..<100 {
                let number = choices.next()
                if places.contains(place) { proof.add(number) }
            }
        }
        return proof
    }
}
