import CLibrary
import CabinetBackend
import Foundation
import Testing

@testable import CabinetTokyo

/// A name in a store's directory that leads nowhere kept an unclosed store from opening.
struct StrayNameTests {
    let store = ToolStore()

    @Test func aNameThatLeadsNowhereIsNoView() throws {
        try store.makeClosed()
        let path = store.path
        #expect(symlink("loop", path + "/loop") == 0)
        #expect(symlink("Song/below", path + "/below") == 0)
        let marks = try ViewTrust.marks(in: StorePaths(root: path), SystemFiles())
        #expect(marks[path + "/Song"] != nil && marks[path + "/loop"] == nil)
        // Now opening asks every file.
        try store.remove("Journal/Clean")
        let backend = try TokyoBackend(path: path)
        #expect(try !backend.tables().isEmpty)
        try backend.close()
    }
}
