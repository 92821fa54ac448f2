import CabinetBackend
import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct CheckingTests {
    let shelf = CheckedShelf()
    var bench: SchemaBench { shelf.bench }

    func open() throws -> Store { try shelf.open() }

    func fill() throws { try shelf.fill() }

    func kinds(_ report: CheckReport) -> [CheckFinding.Kind] { report.findings.map(\.kind) }

    @Test func aSoundStoreIsSound() async throws {
        try fill()
        let progress = Progress(totalUnitCount: 0)
        let report = try await open().check(progress: progress)
        #expect(report.isSound && report.findings == [] && report.unread == [:])
        #expect(report.records == 9)
        // Of songs that stand twice in a list, hand-written classes tell once.
        #expect(report.references == 11)
        #expect(progress.fractionCompleted == 1)
        let outside = try await StoreSchema.check(bench.backend)
        #expect(outside.isSound && outside.records == 4)
        #expect(outside.unread == ["Song": 1, "Playlist": 1, "Node": 2, "Person": 1])
    }

    @Test func aReferenceThatAnInverseKeepsRightMustLeadSomewhere() async throws {
        try fill()
        try bench.delete("Tune", 3)
        for report in [try await open().check(), try await StoreSchema.check(bench.backend)] {
            #expect(!report.isSound)
            #expect(Set(kinds(report)) == [.danglingReference])
            #expect(
                Set(report.findings.map { "\($0.className ?? "")\($0.row ?? 0)" })
                    == ["TuneList2", "Disc2"])
            let list = try #require(report.findings.first { $0.className == "TuneList" })
            #expect(list.field == "tunes" && list.target?.className == "Tune")
            #expect(list.target?.row == 3)
            #expect(list.description == "dangling-reference TuneList 2, tunes to Tune 3")
        }
    }

    @Test func whatDeletingLeavesElsewhereIsNotWrong() async throws {
        try fill()
        let store = try bench.open([Book.self, Member.self, Node.self])
        let (book, member) = (Book("A"), Member("B"))
        (book.owner, book.readers) = (member, [member])
        for object in [book, member] { store.insert(object) }
        try store.save()
        try store.delete(member)
        try store.save()
        try bench.delete("Node", 2)
        let report = try await bench.open([Book.self, Member.self, Node.self]).check()
        #expect(report.isSound)
        #expect(report.counts == [.looseReference: 3])
        #expect(Set(report.findings.map(\.field)) == [nil, "owner", "readers"])
    }

    @Test func recordsThatCannotBeReadAreFound() async throws {
        try fill()
        try bench.setRecord("Tune", 2, [1, 9, 0])
        try bench.setRecord("Disc", 2, [44])
        try bench.setRecord("Node", 3, [1, 255, 255, 255, 255])
        let report = try await open().check()
        let bad = report.findings.filter { $0.kind == .unreadableRecord }
        #expect(
            Set(bad.map { "\($0.className ?? "") \($0.row ?? 0)" }) == [
                "Tune 2", "Disc 2", "Node 3",
            ])
        #expect(bad.allSatisfy { $0.reason?.isEmpty == false })
        #expect(report.records == 9)
        let outside = try await StoreSchema.check(bench.backend)
        #expect(outside.counts[.unreadableRecord] == 2)
    }

    @Test func aCatalogThatCannotBeUnderstoodIsFound() async throws {
        try fill()
        let number = try #require(try StoreSchema(bench.backend)["Tune"]?.number)
        try bench.setEntry("layout/\(number)/1", [0])
        let report = try await StoreSchema.check(bench.backend)
        #expect(report.counts == [.unreadableCatalog: 1])
        #expect(report.unread["Tune"] == 2)
    }

    @Test func newerHandWrittenRecordsAreNobodysFault() async throws {
        try fill()
        try bench.setRecord("Node", 3, [9, 1, 2, 3])
        let report = try await open().check()
        #expect(report.isSound && report.unread == ["Node": 1])
    }

    // MARK: The table of referrers

    func changeReferrers(_ body: (WriteBatch, TableNumber) throws -> Void) throws {
        let table = try #require(
            try bench.backend.tables().first { $0.name == ReferrerTable.tableName }
        ).number
        let batch = bench.backend.makeBatch()
        try body(batch, table)
        try bench.backend.commit(batch)
    }

    func place(_ name: String, _ row: RowID) throws -> WrittenReferences.Target {
        let number = try #require(try StoreSchema(bench.backend)[name]?.number)
        return WrittenReferences.Target(classNumber: number, row: row)
    }

    @Test(arguments: [ReferrerKeys.Direction.byOwner, .byTarget])
    func aReferrerThatIsMissingIsFound(_ direction: ReferrerKeys.Direction) async throws {
        try fill()
        let (owner, target) = (try place("Playlist", 2), try place("Song", 2))
        try changeReferrers { batch, table in
            let key =
                direction == .byOwner
                ? ReferrerKeys.key(.byOwner, owner, target)
                : ReferrerKeys.key(.byTarget, target, owner)
            try key.withUnsafeBytes { try batch.deleteKey($0, in: table) }
        }
        let report = try await open().check()
        #expect(!report.isSound)
        #expect(
            report.findings.contains {
                $0.kind == .missingReferrer && $0.className == "Playlist" && $0.row == 2
                    && $0.target?.className == "Song"
            })
        try await expectRebuilt()
    }

    /// What a check has found wrong of the table is right when it was made anew, without a save of the program.
    private func expectRebuilt() async throws {
        let store = try open()
        let report = try await store.check()
        #expect(try store.indexes.rebuild(found: report) == 1)
        #expect(try await store.check().isSound)
        let song = try #require(try store.objects(of: Song.self).first { $0.rowID == 2 })
        #expect(try store.referrerTable?.owners(of: place("Song", 2))?.isEmpty == false)
        #expect(try store.referrers(of: song).contains { $0.rowID == 2 })
    }

    @Test func referrersThatReferToNothingAreFound() async throws {
        try fill()
        let song = try place("Song", 2)
        // A node that refers to no song, a playlist that is not there, and no key at all.
        let owners = [try place("Node", 2), try place("Playlist", 900)]
        try changeReferrers { batch, table in
            let empty = UnsafeRawBufferPointer(start: nil, count: 0)
            for owner in owners {
                for key in [
                    ReferrerKeys.key(.byOwner, owner, song),
                    ReferrerKeys.key(.byTarget, song, owner),
                ] { try key.withUnsafeBytes { try batch.put(empty, for: $0, in: table) } }
            }
            try [UInt8]([0, 1]).withUnsafeBytes { try batch.put(empty, for: $0, in: table) }
        }
        let report = try await open().check()
        let stray = report.findings.filter { $0.kind == .strayReferrer }
        #expect(
            Set(stray.map { "\($0.className ?? "-") \($0.row ?? 0)" })
                == ["Node 2", "Playlist 900", "- 0"])
        #expect(report.counts == [.strayReferrer: 3])
        try await expectRebuilt()
    }

    @Test func whatTheEngineFindsIsPartOfIt() async throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("cabinet-check-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = try Store(directory: url, classes: [Song.self])
        store.insert(Song("needle in the file"))
        try store.save()
        let progress = Progress(totalUnitCount: 0)
        #expect(try await store.check(progress: progress).isSound)
        #expect(progress.fractionCompleted == 1)
        // The file changes under the open store.
        let file = url.appendingPathComponent("Song")
        let place = try #require(Data(contentsOf: file).range(of: Data("needle".utf8)))
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: UInt64(place.lowerBound))
        try handle.write(contentsOf: Data("m".utf8))
        try handle.close()
        let report = try await store.check()
        #expect(
            report.findings.contains {
                $0.kind == .damage && $0.className == "Song" && $0.row == 2
            })
        // What was damaged has rebuilt when the records were read.
        #expect(try await store.check().isSound)
        #expect(try store.object(Song.self, rowID: 2)?.title == "needle in the file")
        try store.close()
    }

    @Test func mutatedRecordsAreFindingsOrContent() async throws {
        try fill()
        var random = SeededRandom(seed: RunSetting.seed)
        for name in ["Tune", "TuneList", "Disc", "Node", "Playlist", "Person"] {
            let bytes = try bench.record(name, 2)
            for _ in 0..<RunSetting.repetitions(40) {
                var mutant = bytes
                for _ in 0...Int(random.next() % 3) {
                    mutant[Int(random.next() % UInt64(mutant.count))] =
                        UInt8(truncatingIfNeeded: random.next())
                }
                try bench.setRecord(name, 2, mutant)
                let report = try await open().check()
                #expect(report.records + report.unread.values.reduce(0, +) == 9)
            }
            try bench.setRecord(name, 2, bytes)
        }
        #expect(try await open().check().isSound)
    }
}
