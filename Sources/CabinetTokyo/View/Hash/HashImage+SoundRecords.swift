import CabinetBackend

extension HashImage {
    /// Calls `body` with every sound record: its bucket leads to it and, as far as `values` tells, it is
    /// sound. Goes on behind damaged bytes. Returns the offsets where damage begins.
    func forEachSoundRecord(_ values: ValueForm, _ body: (Record) -> Void) -> [UInt64] {
        var damaged: [UInt64] = []
        var offset = firstRecord
        let step = UInt64(1) << alignmentPower
        var isLost = false
        while offset < end {
            switch block(at: offset) {
            case .free(let next)? where !isLost:
                offset = next
                continue
            case .record(let record)? where isSound(record, values, isLost):
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

    /// Behind damage, free room may hold an old copy of a record. There a record is taken only if
    /// its bucket leads to it, or if the bucket's own records are damaged.
    private func isSound(_ record: Record, _ values: ValueForm, _ isLost: Bool) -> Bool {
        if !values.isSound(record) { return false }
        guard isLost || !values.hasSum else { return true }
        switch find(record.key) {
        case .value(let value): return value.baseAddress == record.value.baseAddress
        case .nothing: return false
        case .damage: return isLost && values.hasSum
        }
    }
}
