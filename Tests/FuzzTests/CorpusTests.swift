import Foundation
import FuzzTargets
import Testing

struct CorpusTests {
    /// What fuzzing found, or was begun with, once more: a file each, named by anything.
    @Test(arguments: FuzzTarget.allCases)
    func everyFileOfTheCorpusIsSurvived(_ target: FuzzTarget) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("FuzzCorpus/\(target.rawValue)")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            // A copy of exact size, so that a byte read too many lies outside.
            let bytes = [UInt8](try Data(contentsOf: file))
            bytes.withUnsafeBytes { target.run($0) }
        }
    }
}
