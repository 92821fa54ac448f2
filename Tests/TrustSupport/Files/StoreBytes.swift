import CabinetBackend
import CabinetTokyo
import Foundation

/// All bytes of a store's files, those of deflated blocks inflated: to look for what should not be there.
package struct StoreBytes {
    /// By the paths below the directory.
    private var files: [String: Data] = [:]

    /// - Parameter path: the directory of a store, or one with stores and files of databases.
    package init(of path: String) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        for name in names {
            let file = path + "/" + name
            guard let content = FileManager.default.contents(atPath: file) else { continue }
            files[name] = content
            guard name.contains("Journal/snapshot-"), !name.hasSuffix(".new") else { continue }
            let snapshot: SnapshotReader
            do {
                snapshot = try SnapshotReader(
                    files: SystemFiles(), path: file, expectedStoreID: nil)
            } catch BackendError.keyNeeded {
                continue
            }
            var inflated = Data()
            try snapshot.forEachOperation(in: nil) { operation in
                switch operation {
                case .putRow(_, _, let stored): inflated.append(contentsOf: stored)
                case .putKey(_, let key, let stored):
                    inflated.append(contentsOf: key)
                    inflated.append(contentsOf: stored)
                default: break
                }
            }
            files[name, default: Data()].append(inflated)
        }
    }

    /// The files that have a mark, or its last twelve bytes: keys in files share their beginnings.
    package func holders(of mark: String) -> [String] {
        let bytes = Data(mark.utf8.suffix(12))
        return files.filter { $0.value.range(of: bytes) != nil }.keys.sorted()
    }
}

extension SeededRandom {
    /// Sixteen random letters, which are found nowhere else.
    package mutating func mark() -> String {
        String(
            decoding: (0..<16).map { _ in UInt8(ascii: "a") + UInt8(below(26)) }, as: UTF8.self)
    }
}
