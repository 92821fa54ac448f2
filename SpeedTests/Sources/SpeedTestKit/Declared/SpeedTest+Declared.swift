extension SpeedTest {
    /// The tests of `DeclaredTest`: declared classes beside hand-written ones and plain Swift.
    static let declared =
        comparisons + edits("ListAppend", .append) + edits("ListDelete", .delete)
        + edits("ListUndo", .undoDeletes)
        + chapters("ChapterSave", .save) + chapters("ChapterFetch", .fetch)
        + chapters("ChapterTouch", .touch)

    private static let comparisons = [
        SpeedTest(
            name: "FieldAccess.get", unit: "access", things: "accesses to 1,000 objects",
            shares: [0.001], stepShare: 100_000,
            work: Work(
                cabinet: AccessWork.readHandWritten, declared: AccessWork.readDeclared,
                plain: AccessWork.readPlain),
            expected: { job in
                let circle = UInt64(AccessWork.circle)
                return Proof(
                    count: UInt64(job.steps),
                    sum: UInt64(job.steps) / circle * (circle * (circle - 1) / 2))
            }, engines: [.plain, .cabinet, .declared]),
        SpeedTest(
            name: "FieldAccess.set", unit: "access", things: "accesses to 1,000 objects",
            shares: [0.001], stepShare: 100_000,
            work: Work(
                cabinet: AccessWork.setHandWritten, declared: AccessWork.setDeclared,
                plain: AccessWork.setPlain),
            expected: { job in
                var proof = Proof()
                for number in job.steps - AccessWork.circle..<job.steps { proof.add(number) }
                return proof
            }, engines: [.plain, .cabinet, .declared]),
        SpeedTest(
            name: "DeclaredInsert", unit: "song", things: "songs",
            work: .insertSongs, expected: Expected.all, engines: [.cabinet, .declared],
            check: (.fetchSongs, Expected.all)),
        SpeedTest(
            name: "DeclaredFetch", unit: "song", things: "songs",
            preparation: .insertSongs, stock: "songs",
            work: .fetchSongs, expected: Expected.all, engines: [.cabinet, .declared]),
        SpeedTest(
            name: "ListAppend", unit: "append", things: "songs in one list", shares: [0.1],
            work: Work(declared: DeclaredWork.appendTracks, plain: DeclaredWork.appendPlain),
            expected: Expected.all, engines: [.plain, .declared]),
        SpeedTest(
            name: "ListAppend.new", unit: "append", things: "new songs in one list",
            shares: [0.1],
            work: Work(declared: DeclaredWork.appendNewTracks, plain: DeclaredWork.appendNewPlain),
            expected: Expected.all, engines: [.plain, .declared]),
        tracked("TrackedUpdate", .number),
        tracked("TrackedChange", .reference),
    ]

    /// Here `plain` is a class that does not track its referrers.
    private static func tracked(_ name: String, _ change: TrackedWork.Change) -> SpeedTest {
        SpeedTest(
            name: name, unit: "object", things: "links of a chain", shares: [0.1],
            work: Work(
                declared: TrackedWork.saveTracked(change), plain: TrackedWork.savePlain(change)),
            expected: Expected.allRaised, engines: [.plain, .declared])
    }

    /// Edits of one list while undo records, in single steps and in one.
    private static func edits(_ name: String, _ edit: ListWork.Edit) -> [SpeedTest] {
        [false, true].map { isGrouped in
            SpeedTest(
                name: name + (isGrouped ? ".group" : ".steps"), unit: "edit",
                things: "songs in one list", shares: [0.1],
                work: Work(declared: ListWork.edits(edit, isGrouped: isGrouped)),
                expected: Expected.all, engines: [.declared])
        }
    }

    /// Titles with four chapters each, in three forms: saved, fetched with their titles, and
    /// fetched with every chapter touched.
    private static func chapters(_ name: String, _ part: ChapterWork.Part) -> [SpeedTest] {
        [
            SpeedTest(
                name: name, unit: "title", things: "titles with four chapters", shares: [0.01],
                work: ChapterWork.work(part), expected: Expected.all,
                engines: [.plain, .cabinet, .declared])
        ]
    }
}
