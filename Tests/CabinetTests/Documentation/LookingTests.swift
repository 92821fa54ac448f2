import CabinetTestSupport
import Foundation
import Testing

struct LookingTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    @Test func thePageOnLookingInsideShowsWhatCompiles() throws {
        let program = try String(
            contentsOf: Self.folder.appending(path: "LookingInside.swift"), encoding: .utf8)
        let page = try String(
            contentsOf: Self.folder.appending(
                path: "../../../Sources/Cabinet/Cabinet.docc/Looking.md"), encoding: .utf8)
        #expect(page.contains("```swift\n\(program)```"))
    }

    @Test func whatItShowsRuns() async throws {
        let temporary = try TemporaryStore([Track.self])
        temporary.store.insert(Track("Echoes", seconds: 1423))
        try temporary.store.save()
        try printRecords(of: "Track", in: temporary.store.backend)
        try await printTroubles(of: temporary.store)
    }
}
