import Cabinet
import Foundation
import Testing

/// Directories that are of another kind than what opens them.
struct StoreFilePlaceTests {
    /// Once, each was opened empty, and got what belongs to the other.
    @Test func aPackageAndADirectoryAreNotTakenForEachOther() throws {
        var desk = Desk()
        desk.hasPackages = true
        let file = try desk.open("Book")
        file.store.insert(NotePage(1, "one"))
        try file.save()
        try file.close()
        func open(_ url: URL) throws -> Store {
            try Store(directory: url, classes: [NotePage.self])
        }
        #expect {
            _ = try open(desk.url("Book"))
        } throws: { error in
            if case BackendError.notAStore = error { true } else { false }
        }
        let store = try open(desk.url("Store"))
        store.insert(NotePage(2, "two"))
        try store.save()
        try store.close()
        #expect {
            _ = try desk.open("Store")
        } throws: { error in
            if case BackendError.notAStore = error { true } else { false }
        }
        #expect(try desk.pages(in: "Book") == [1: "one"])
        let again = try open(desk.url("Store"))
        #expect(try Desk.pages(in: again) == [2: "two"])
        try again.close()
    }
}
