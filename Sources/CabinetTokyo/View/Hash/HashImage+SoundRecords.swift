import CabinetBackend

extension HashImage {
    /// Calls `body` with every record that is in its place and, with `checksums`, has a right one,
    /// also behind places that make no sense. Returns where something was passed over.
    func forEachSoundRecord(checksums: Bool, _ body: (Record) -> Void) -> [UInt64] {
        var damaged: [UInt64] = []
        var offset = firstRecord
        let step = UInt64(1) << alignmentPower
        var isLost = false
        while offset < end {
            switch block(at: offset) {
            case .free(let next)? where !isLost:
                offset = next
                continue
            case .record(let record)? where isSound(record, checksums, isLost):
                isLost = false
                body(record)
                offset = record.next
                continue
            default:
                // The length of a bad record may be what is bad: it is not passed over as a whole.
                if !isLost { damaged.append(offset) }
                isLost = true
                offset = (offset / step + 1) * step
            }
        }
        return damaged
    }

    /// Behind damage an old copy of a record may stand in room that is free: there only what the
    /// buckets lead to, or no longer tell of, is taken.
    private func isSound(_ record: Record, _ checksums: Bool, _ isLost: Bool) -> Bool {
        if checksums, !Checksum.isRight(record) { return false }
        guard isLost || !checksums else { return true }
        switch find(record.key) {
        case .value(let value): return value.baseAddress == record.value.baseAddress
        case .nothing: return false
        case .damage: return isLost && checksums
        }
    }
}
