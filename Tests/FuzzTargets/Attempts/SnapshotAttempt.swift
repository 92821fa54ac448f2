import CabinetBackend
import CabinetTokyo
import TrustSupport

enum SnapshotAttempt {
    /// Reads the snapshot that `bytes` are as it is, and once more with its sums made right.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var content = Array(bytes)
        read(content)
        SumRepair.snapshot(&content)
        read(content)
    }

    private static func read(_ content: [UInt8]) {
        do throws(BackendError) {
            let snapshot = try SnapshotReader(
                files: MemoryFiles(content), path: "snapshot", expectedStoreID: nil)
            for table in snapshot.tables { precondition(table.count == 0 || content.count > 72) }
            try snapshot.forEachOperation(in: nil) { OperationAttempt.touch($0) }
        } catch {
            precondition(error.isOfDamage, "Not an error of damage: \(error)")
        }
    }
}
