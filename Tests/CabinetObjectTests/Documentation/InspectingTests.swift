import Cabinet
import CabinetTestSupport
import Foundation
import Testing

@testable import CabinetTestModel

struct InspectingTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The first code of each page is a snippet, which the checks of the documentation compare;
    /// `Inspecting.swift` and `Maintenance.swift` are links to two of them.
    @Test func thePageOfUpgradesShowsWhatCompiles() throws {
        let program = try String(
            contentsOf: Self.folder.appending(path: "Upgrading.swift"), encoding: .utf8)
        let text = try String(
            contentsOf: Self.folder.appending(
                path: "../../../Sources/Cabinet/Cabinet.docc/Upgrading.md"), encoding: .utf8)
        #expect(text.contains("```swift\n\(program)```"))
    }

    @Test func whatItShowsRuns() async throws {
        let temporary = try TemporaryStore([Track.self])
        temporary.store.insert(Track("Echoes", seconds: 1423))
        try temporary.store.save()
        try printRecords(of: "Track", in: temporary.store.backend)
        try await printTroubles(of: temporary.store)
    }

    @Test func aBackupAndWhatIsSalvagedAreStores() async throws {
        let (temporary, places) = (try TemporaryStore([Track.self]), try TemporaryDirectory())
        temporary.store.insert(Track("Echoes", seconds: 1423))
        try temporary.store.save()
        let (copy, saved) = (
            places.url.appending(path: "Copy"), places.url.appending(path: "Saved")
        )
        try await backUp(temporary.store.backend, to: copy)
        try await backUp(try Store(inMemory: []).backend, to: copy)
        #expect(try await salvage(copy, into: saved))
        for place in [copy, saved] {
            let store = try Store(directory: place, classes: [Track.self])
            #expect(try store.objects(of: Track.self).map(\.title) == ["Echoes"])
            try store.close()
        }
    }

    enum Former {
        final class LongPlayer: StoredObject {
            @Field var title = ""
            @Field var picture = Data()
        }
    }

    @Test func anUpgradeMovesAPictureOnce() async throws {
        let temporary = try TemporaryStore([Former.LongPlayer.self])
        for number: UInt8 in 1...3 {
            let record = Former.LongPlayer()
            record.picture = Data([number])
            temporary.store.insert(record)
        }
        try temporary.store.save()
        try temporary.store.close()
        for isFirst in [true, false] {
            let store = try Store(
                directory: temporary.directory, classes: [LongPlayer.self, Sleeve.self])
            if isFirst { try bringUpToDate(store) }
            let found = try store.objects(of: LongPlayer.self)
            #expect(found.map { $0.sleeve?.picture } == [Data([1]), Data([2]), Data([3])])
            #expect(found.allSatisfy { $0.sleeve?.owner === $0 } && !store.hasChanges)
            #expect(try store.count(of: Sleeve.self) == 3)
            #expect(try await store.check().findings == [])
            try store.close()
        }
    }
}
