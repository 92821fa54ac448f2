import Cabinet
import Foundation
import TrustSupport

/// What documents of the tests hold.
final class NotePage: StoredObject {
    @Field var number = 0
    @Field var text = ""
    @Many(inverse: \NotePage.chapter) var pages: [NotePage]
    @One var chapter: NotePage?

    override class var indexes: [Index] { [.ordered(\NotePage.number)] }

    convenience init(_ number: Int, _ text: String) {
        self.init()
        (self.number, self.text) = (number, text)
    }
}

/// A place for documents and their working directories.
struct Desk {
    let directory = ScratchDirectory()
    /// Of its files; `nil`: they are not sealed.
    var key: StoreKey?
    /// Whether its documents are packages.
    var hasPackages = false

    func url(_ name: String = "Notes.cabinet") -> URL {
        guard hasPackages, name != "Working", name != "Look" else {
            return URL(filePath: directory.file(name))
        }
        let file = name.contains(".") ? name : name + ".notes"
        return URL(filePath: directory.file(file), directoryHint: .isDirectory)
    }

    func open(
        _ name: String? = "Notes.cabinet", creating: Bool = true, discarding: Bool = false
    ) throws -> StoreFile {
        let deadline = Date() + 20
        while true {
            do {
                return try StoreFile(
                    name.map(url), classes: [NotePage.self], creating: creating,
                    discardingUnsavedEdits: discarding, durability: .process, key: key,
                    workingDirectory: url("Working"), log: .none)
            } catch BackendError.busy(let path, _)
                where path.hasPrefix(directory.file("Working")) && Date() < deadline
            {
                // A store that was dropped without closing: its upkeep may hold it a moment longer.
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }

    /// The pages of a file, read without its working directory; `nil`: there is no file.
    func pages(in name: String = "Notes.cabinet") throws -> [Int: String]? {
        let place = url(name)
        let content = hasPackages ? place.appending(path: "Content.storefile") : place
        guard FileManager.default.fileExists(atPath: content.path()) else { return nil }
        let file = try StoreFile(
            url(name), classes: [NotePage.self], creating: false, key: key,
            workingDirectory: url("Look"), log: .none)
        defer { try? file.close(discardingEdits: true) }
        return try Self.pages(in: file.store)
    }

    static func pages(in store: Store) throws -> [Int: String] {
        var pages: [Int: String] = [:]
        for page in try store.objects(of: NotePage.self) { pages[page.number] = page.text }
        return pages
    }
}
