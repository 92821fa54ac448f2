import CabinetBackend
import CabinetTokyo
import TrustSupport

enum RunAttempt {
    /// Reads the run of an ordered table that `bytes` are as it is, and once more with its sums
    /// made right.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var content = Array(bytes)
        read(content)
        SumRepair.run(&content)
        read(content)
    }

    /// The table of the store that the header names.
    static func identity(_ content: [UInt8]) -> RunIdentity? {
        guard content.count >= 64 else { return nil }
        let table = UInt16(content[12]) | UInt16(content[13]) << 8
        return RunIdentity(store: content.long(at: 16), table: TableNumber(table))
    }

    private static func read(_ content: [UInt8]) {
        guard let identity = identity(content) else { return }
        let files = MemoryFiles(content)
        withExtendedLifetime(files) {
            expectDamage { () throws(BackendError) in
                guard let run = try Run(files: files, path: "run", identity: identity) else {
                    return
                }
                expectDamage { () throws(BackendError) in try run.verify() }
                var keys: [[UInt8]] = [[], [0xFF]]
                expectDamage { () throws(BackendError) in try walk(run, &keys) }
                for key in keys {
                    key.withUnsafeBytes { key in
                        expectDamage { () throws(BackendError) in
                            if case .value(let value) = try run.find(key) {
                                OperationAttempt.consume(value)
                            }
                        }
                        expectDamage { () throws(BackendError) in _ = try run.rank(of: key) }
                        expectDamage { () throws(BackendError) in try walkBack(run, key) }
                    }
                }
            }
        }
    }

    /// Walks over up to 512 entries and notes some of their keys.
    private static func walk(_ run: Run, _ keys: inout [[UInt8]]) throws(BackendError) {
        let cursor = try run.cursor()
        try cursor.seek(nil)
        var met = 0
        while cursor.isAtEntry, met < 512 {
            met += 1
            OperationAttempt.consume(cursor.key)
            OperationAttempt.consume(cursor.value)
            precondition(!cursor.isDelete || cursor.value.isEmpty && cursor.weight == -1)
            if met % 16 == 1 { keys.append(Array(cursor.key)) }
            try cursor.next()
        }
    }

    private static func walkBack(
        _ run: Run, _ key: UnsafeRawBufferPointer
    ) throws(BackendError) {
        let cursor = try run.cursor()
        try cursor.seekBack(key.isEmpty ? nil : key)
        for _ in 0..<40 where cursor.isAtEntry {
            OperationAttempt.consume(cursor.key)
            OperationAttempt.consume(cursor.value)
            try cursor.previous()
        }
        try cursor.seek(key)
        if cursor.isAtEntry { OperationAttempt.consume(cursor.key) }
    }

    private static func expectDamage(_ body: () throws(BackendError) -> Void) {
        do throws(BackendError) {
            try body()
        } catch {
            precondition(error.isOfDamage, "Not an error of damage: \(error)")
        }
    }
}
