import CabinetBackend
import CabinetTokyo

enum HashImageAttempt {
    /// Walks a hash file, and looks up every key that it meets, and one that it may not have.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress,
            let image = HashImage(base: base, size: UInt64(bytes.count))
        else { return }
        precondition(image.firstRecord <= image.end && image.end <= UInt64(bytes.count))
        _ = ViewMark(at: image.opaque)
        look(for: UnsafeRawBufferPointer(rebasing: bytes.prefix(3)), in: image)
        var offset = image.firstRecord
        var met = 0
        while met < 256, let block = image.block(at: offset) {
            met += 1
            switch block {
            case .free(let next):
                precondition(next > offset && next <= image.end)
                offset = next
            case .record(let record):
                precondition(record.next > offset && record.next <= image.end)
                OperationAttempt.consume(record.key)
                OperationAttempt.consume(record.value)
                look(for: record.key, in: image)
                offset = record.next
            }
        }
        if met < 256 {
            for values in [ValueForm.bare, .summed] {
                if let damage = image.firstDamage(values) {
                    precondition(damage < bytes.count)
                }
            }
        }
    }

    private static func look(for key: UnsafeRawBufferPointer, in image: HashImage) {
        if case .value(let value) = image.find(key) { OperationAttempt.consume(value) }
    }
}
