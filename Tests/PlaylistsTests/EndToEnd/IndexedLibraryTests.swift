import Cabinet
import Foundation
import Testing

@testable import playlists

/// Libraries that were saved before songs had indexes.
struct IndexedLibraryTests {
    @Test func anOlderLibraryGetsItsIndexesWhenItIsOpenedForChanging() throws {
        try Past.withLibrary { place in
            let (sorted, found) = ("list --sort title", "search brass")
            // Read only: every song is looked at.
            let before = [place.run(sorted).output, place.run(found).output]
            #expect(before[1].contains("Brass Tacks"))
            #expect(place.run("new 'Road Trip'").status == .done)
            try place.withStore { store in
                let text = try store.search(Song.self, "brass").plan.description
                #expect(text.contains("title, artist, album"), "\(text)")
                #expect(!text.contains("scan"), "\(text)")
                #expect(store.indexes.progress == nil)
            }
            #expect([place.run(sorted).output, place.run(found).output] == before)
            #expect(place.run("search road").output.hasSuffix("1 playlist found.\n"))
        }
    }

    @Test func itsOwnProgramMayWriteInBetween() throws {
        try Past.withLibrary { place in
            #expect(place.run("new 'Road Trip'").status == .done)
            try place.withStore(of: Past.classes) { store in
                let song = Past.Song()
                song.title = "Old Hat"
                store.insert(song)
                try store.save()
            }
            // Before the indexes have caught up, and after.
            #expect(place.run("search 'old hat'").output.hasPrefix("Row  Title"))
            #expect(place.run("rename 'Road Trip' Trip").status == .done)
            #expect(place.run("search 'old hat'").output.hasPrefix("Row  Title"))
            #expect(place.run("list --sort title").output.contains("Old Hat"))
        }
    }
}
