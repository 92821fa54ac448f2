import Foundation

/// The directory that BNRPersistence (2010) itself wrote, and what is in it.
enum LegacyFixture {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures").standardizedFileURL

    /// The content, as JSON.
    static func content() throws -> Data {
        try Data(contentsOf: folder.appending(path: "bnr-legacy.json"))
    }

    /// Makes a copy at `path`, which may be changed.
    static func copy(to path: String) throws {
        let files = FileManager.default
        try files.copyItem(atPath: folder.appending(path: "bnr-legacy").path, toPath: path)
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        for name in try files.contentsOfDirectory(atPath: path) {
            try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/" + name)
        }
    }
}
