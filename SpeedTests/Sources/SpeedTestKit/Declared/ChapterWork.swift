import CRivals
import Cabinet

/// What values of a program's own cost in a record: property lists stand for plain Swift, a
/// `BufferValue` for hand-written code.
enum ChapterWork {
    /// What is timed.
    enum Part { case save, fetch, touch }

    static func work(_ part: Part) -> Work {
        Work(
            cabinet: { job, _ in try run(part, job, Chapters.BufferTitle.self) },
            declared: { job, _ in try run(part, job, Chapters.CodableTitle.self) },
            plain: { job, _ in try run(part, job, Chapters.ListTitle.self) })
    }

    private static func run<Title: Chapters.TitleForm>(
        _ part: Part, _ job: Job, _ type: Title.Type
    ) throws -> CabinetWork.Result {
        let store = try Store(inMemory: [Title.self])
        var start = speed_clock()
        for number in 0..<job.objects {
            let title = Title()
            title.title = "Title \(number)"
            title.values = Chapters.make(number)
            store.insert(title)
        }
        try store.save()
        let saving = speed_clock() - start

        start = speed_clock()
        var proof = Proof()
        let titles = try store.objects(of: Title.self)
        for title in titles where title.title.isEmpty { proof.add(1) }
        let fetching = speed_clock() - start
        for title in titles { proof.add(Chapters.sum(title.values)) }
        let touching = speed_clock() - start
        return withExtendedLifetime(titles) {
            CabinetWork.Result(
                proof: proof,
                seconds: part == .save ? saving : part == .fetch ? fetching : touching)
        }
    }
}
