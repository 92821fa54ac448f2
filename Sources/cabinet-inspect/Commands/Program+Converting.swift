import Cabinet
import CabinetBackend
import CabinetTools

extension Program {
    /// Copies a store into one that another engine may keep, and compares both.
    func convert(
        _ from: StoreAddress, _ invocation: Invocation
    ) async throws -> ExitStatus {
        let to = try StoreAddress(invocation.operands[1])
        if invocation.command != .convert, key == nil {
            throw UsageError.noKey(invocation.command ?? .encrypt)
        }
        var (reader, targetKey) = (self, StoreKey?.none)
        if invocation.command == .encrypt { (reader.key, targetKey) = (nil, key) }
        let source = try reader.openToRead(from)
        defer { try? source.close() }
        guard try source.lastCommit() > .none else {
            throw StoreCopyError.isEmpty(location: source.location)
        }
        // A directory of something else, or a store of 2010.
        if case .directory(let path) = to, to.isTaken,
            !StoreAddress.directory(path + "/Journal").isTaken
        {
            throw StoreCopyError.isNotEmpty(location: path)
        }
        let target = try to.open(.readWrite, key: targetKey, log: warnings)
        let copied: Int
        do {
            copied = try await following("Copying") {
                try await StoreSchema.copy(source, to: target, progress: $0)
            }
        } catch {
            // What failed counts, not what closing has to say after it.
            try? target.close()
            if case StoreCopyError.isDifferent = error {
                say("cabinet-inspect: \(error)")
                return .findings
            }
            throw error
        }
        try target.close()
        answer(
            invocation, .members(("copied", .count(copied))),
            [
                "Copied \(copied.counted("row")) and keys, and compared them: both stores are the same."
            ])
        return .sound
    }
}
