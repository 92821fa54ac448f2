import Cabinet
import CabinetBackend
import CabinetTokyo
import Foundation

extension Program {
    /// The store file at `path`, by what it begins with or by its ending, or in the package there; `nil`: there is
    /// none.
    static func storeFile(at path: String) -> String? {
        let content = path + "/" + StoreFilePlace.contentName
        if FileManager.default.fileExists(atPath: content) { return content }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            !isDirectory.boolValue
        else { return nil }
        if path.hasSuffix(".cabinet") { return path }
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        let magic = StoreFileHeader.magic
        return (try? file.read(upToCount: magic.count)).flatMap {
            $0.elementsEqual(magic) ? path : nil
        }
    }

    /// Calls `body` with a directory that has the store of the file at `path`, and is gone afterwards.
    /// - Throws: as `StoreFileReader`, and what `body` throws.
    func withStore(
        ofFile path: String, _ body: (_ directory: String) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let reader = try StoreFileReader(path, files: SystemFiles())
        let place = FileManager.default.temporaryDirectory.appending(
            path: "cabinet-inspect-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        let directory = place.path(percentEncoded: false)
        try reader.unpack(into: directory)
        return try await body(directory)
    }

    /// What a store file says of itself.
    func describe(file path: String) throws {
        let metadata: StoreFileMetadata
        do {
            metadata = try StoreFile.metadata(of: URL(filePath: path), key: key)
        } catch BackendError.keyNeeded {
            return print("The metadata are sealed.")
        }
        var lines: [String] = []
        if !metadata.title.isEmpty { lines.append("title     \(metadata.title)") }
        if !metadata.preview.isEmpty { lines.append("preview   \(metadata.preview)") }
        if !metadata.keywords.isEmpty {
            lines.append("keywords  \(metadata.keywords.joined(separator: ", "))")
        }
        if !metadata.thumbnail.isEmpty {
            lines.append("thumbnail \(metadata.thumbnail.count) bytes")
        }
        for line in lines { print(Self.plain(line)) }
    }
}
