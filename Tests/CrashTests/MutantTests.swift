import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

/// Tests the suites themselves: each precaution of the engine is taken away, and the suite that
/// covers it must fail.
struct MutantTests {
    private func findings(
        _ steps: [LedgerScene.Step], durability: Durability = .full, filling: Int = 40,
        weakening: (any FileLayer) -> any FileLayer = { $0 },
        reboot: ((Int) -> any FileLayer)? = nil
    ) throws -> [String] {
        let directory = ScratchDirectory()
        let scene = LedgerScene(
            root: directory.path, seed: RunSetting.seed, filling: filling,
            durability: durability, weakening: weakening)
        try scene.play(steps)
        var run = PowerCutRun(seed: RunSetting.seed)
        run.failureLimit = 1
        run.reboot = reboot
        return try run.run(scene, depth: 0).failures
    }

    @Test func aMissingSyncBeforeTheAcknowledgementIsNoticed() throws {
        let found = try findings([.save(3)], weakening: { WeakFiles.WithoutLogSync($0) })
        #expect(!found.isEmpty)
    }

    @Test func aMissingSyncOfTheDirectoryIsNoticed() throws {
        let found = try findings([.save(3)], weakening: { WeakFiles.WithoutDirectorySync($0) })
        #expect(!found.isEmpty)
    }

    @Test func aMissingCheckOfTheBootIsNoticed() throws {
        let found = try findings(
            [.save(4), .sync, .save(4)], durability: .process,
            weakening: { WeakFiles.WithoutBootCheck($0) },
            reboot: { _ in WeakFiles.WithoutBootCheck(RebootedFiles()) })
        #expect(!found.isEmpty)
    }

    @Test func aMissingSumOfFramesIsNoticed() throws {
        let found = try findings(
            [.save(6)], durability: .process, filling: 2000,
            reboot: { _ in WeakFiles.WithoutFrameSums() })
        #expect(!found.isEmpty)
    }

    // MARK: Views that are too large to be checked whole

    /// Pages of a view that did not reach the disk before the store was said to be closed.
    @Test(arguments: [true, false])
    func aMissingSyncOfAViewIsNoticed(syncs: Bool) throws {
        let directory = ScratchDirectory()
        let films = FilmedFiles(root: directory.path)
        let store = try StoreUnderTest.open(
            directory.path, durability: .full,
            files: syncs ? films : WeakFiles.WithoutViewSync(films))
        try BigStore.fill(store)
        try store.backend.close()
        try films.look()
        let history = films.recording().history { StoreNames.isView($0) }
        var chooser = PageLosingChooser()
        let image = history.cut(&chooser)
        directory.clear()
        try image.write(below: directory.path)
        let found = BigStore.fault(in: directory.path, through: RebootedFiles())
        #expect((found == nil) == syncs, "\(found ?? "nothing was noticed")")
    }

    /// A save of which the device has one page of the view, and nothing else: the marker must not
    /// say any more that the view is as it was closed.
    @Test(arguments: [true, false])
    func aMarkerThatIsNotTakenBackForGoodIsNoticed(syncs: Bool) throws {
        let directory = ScratchDirectory()
        let store = try StoreUnderTest.open(
            directory.path, durability: .full, files: SystemFiles())
        try BigStore.fill(store)
        try store.backend.close()
        let closed = try DiskImage(readingFrom: directory.path)
        let films = FilmedFiles(root: directory.path)
        let again = try StoreUnderTest.open(
            directory.path, durability: .process,
            files: syncs ? films : WeakFiles.WithoutMarkerSync(films))
        try BigStore.spoil(again)
        let history = films.recording(from: closed).history { StoreNames.isView($0) }
        var loser = LosingChooser()
        var image = history.cut(&loser)
        let changed = try SparseFile(readingFrom: directory.path + "/" + BigStore.name)
        let size = image.files[BigStore.name]?.size ?? 0
        image.files[BigStore.name]?.takePagesBehindFirst(from: changed)
        image.files[BigStore.name]?.truncate(to: size)
        let place = ScratchDirectory()
        try image.write(below: place.path)
        let found = BigStore.fault(in: place.path, through: RebootedFiles())
        #expect((found == nil) == syncs, "\(found ?? "nothing was noticed")")
    }

    /// A record between two positions, as a kill in the midst of a change leaves it: only the busy
    /// mark shows it.
    @Test(arguments: [true, false])
    func aMissingBusyMarkIsNoticed(isMarked: Bool) throws {
        let directory = ScratchDirectory()
        let files = { WeakFiles.WithoutBootCheck(RebootedFiles()) }
        var store: StoreUnderTest? = try StoreUnderTest.open(
            directory.path, durability: .full, files: files())
        if let store { try BigStore.fill(store) }
        // What a killed process leaves: nothing is closed.
        var image = try DiskImage(readingFrom: directory.path)
        store = nil
        image.files[BigStore.name]?.breakLink()
        image.files[BigStore.name]?.write([isMarked ? 1 : 0, 0, 0, 0], at: 192 + 4)
        directory.clear()
        try image.write(below: directory.path)
        let found = BigStore.fault(in: directory.path, through: files())
        #expect((found == nil) == isMarked, "\(found ?? "nothing was noticed")")
    }
}

/// Loses all that may be lost.
private struct LosingChooser: Chooser {
    mutating func choose(_ options: Int) -> Int { 0 }
}

/// Of each view that is not certain, loses the pages behind the first, where the buckets are.
private struct PageLosingChooser: Chooser {
    private var page = 0

    mutating func choose(_ options: Int) -> Int {
        page += 1
        if options == 7 {
            page = 0
            return 2
        }
        return (2...4).contains(page) ? 0 : min(1, options - 1)
    }
}

extension SparseFile {
    /// Takes over all that is different, but for the header.
    fileprivate mutating func takePagesBehindFirst(from other: SparseFile) {
        for page in other.differingPages(from: self) where page > 0 { takePage(page, from: other) }
    }

    /// Empties the first bucket of a hash file that holds anything.
    fileprivate mutating func breakLink() {
        let content = bytes
        for offset in stride(from: 256, to: content.count, by: 4)
        where content[offset..<offset + 4].contains(where: { $0 != 0 }) {
            write([0, 0, 0, 0], at: offset)
            return
        }
    }
}
