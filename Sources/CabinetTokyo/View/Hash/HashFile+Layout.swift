import CTokyoCabinet
import CabinetBackend

extension HashFile {
    /// A copy of the file in another layout, which takes its name. The file itself must not be
    /// used any more. After a throw it is as before, but not open for writing.
    /// - Parameter building: where the copy is made.
    func laidOut(
        as sizing: HashSizing, at building: String, _ values: ValueForm
    ) throws(BackendError) -> HashFile {
        try endWriting()
        let growth = HashSizing.growth(puts: count, bytes: image.end - image.firstRecord)
        let copy = try HashFile(making: building, sizing, room: growth, files: files)
        do throws(BackendError) {
            try fill(copy, values)
            guard copy.count == count else { throw .corrupt(path: path, offset: 48) }
            if let address = copy.markAddress {
                address.copyMemory(from: image.opaque, byteCount: ViewMark.size)
            }
            try copy.endWriting()
            try copy.move(to: path)
        } catch {
            try? files.remove(building)
            throw error
        }
        return copy
    }

    private func fill(_ copy: HashFile, _ values: ValueForm) throws(BackendError) {
        guard let writer = copy.writer else { return }
        var offset = image.firstRecord
        while offset < image.end {
            switch image.block(at: offset) {
            case nil: throw .corrupt(path: path, offset: offset)
            case .free(let next): offset = next
            case .record(let record):
                guard values.isSound(record) else {
                    throw .corrupt(path: path, offset: offset)
                }
                let isDone = tchdbput(
                    writer, record.key.baseAddress ?? Nowhere.address,
                    Int32(truncatingIfNeeded: record.key.count),
                    record.value.baseAddress ?? Nowhere.address,
                    Int32(truncatingIfNeeded: record.value.count))
                guard isDone else {
                    throw .viewUnavailable(path: copy.path, cause: "a record was refused")
                }
                offset = record.next
            }
        }
    }
}
