import Cabinet
import CabinetTestSupport
import Foundation
import Testing

struct LookingTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    @Test(arguments: [("LookingInside.swift", "Looking.md"), ("Keeping.swift", "Keeping.md")])
    func aPageShowsWhatCompiles(_ file: String, _ page: String) throws {
        let program = try String(
            contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        let text = try String(
            contentsOf: Self.folder.appending(
                path: "../../../Sources/Cabinet/Cabinet.docc/\(page)"), encoding: .utf8)
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
}
