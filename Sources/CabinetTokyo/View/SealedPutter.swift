import CTokyoCabinet
import CabinetBackend

/// Puts the sealed records of a table into its hash file.
///
/// Not `Sendable`: it belongs to one ``Applier``.
final class SealedPutter {
    private let seal: TableSeal
    private let room = OpenedRecord()
    private let piece = OpenedRecord()

    init(_ seal: TableSeal) { self.seal = seal }

    /// - Parameter stored: the value with its sum behind it.
    func put(
        _ fileKey: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer,
        _ hash: UnsafeMutablePointer<TCHDB>, _ writer: HashWriter?
    ) -> Bool {
        let value = Checksum.value(of: stored)
        let size = seal.size(name: 0, value: value.count)
        piece.reserve(size)
        guard let target = piece.bytes.baseAddress else { return false }
        seal.seal(value, fileKey, to: target)
        return put(fileKey, size, hash, writer)
    }

    func put(
        name: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer,
        _ hash: UnsafeMutablePointer<TCHDB>, _ writer: HashWriter?
    ) -> Bool {
        let value = Checksum.value(of: stored)
        let size = seal.size(name: name.count, value: value.count)
        piece.reserve(size)
        room.reserve(size)
        guard let target = piece.bytes.baseAddress, let room = room.bytes.baseAddress else {
            return false
        }
        return withUnsafeBytes(of: seal.code(of: name).bytes) { fileKey in
            seal.seal(value, named: name, fileKey, in: room, to: target)
            return put(fileKey, size, hash, writer)
        }
    }

    func delete(name: UnsafeRawBufferPointer, _ hash: UnsafeMutablePointer<TCHDB>) -> Bool {
        withUnsafeBytes(of: seal.code(of: name).bytes) { Applier.delete(hash, $0) }
    }

    private func put(
        _ fileKey: UnsafeRawBufferPointer, _ size: Int, _ hash: UnsafeMutablePointer<TCHDB>,
        _ writer: HashWriter?
    ) -> Bool {
        let content = UnsafeRawBufferPointer(rebasing: piece.bytes[..<size])
        if let writer, writer.put(fileKey, content, at: writer.location(of: fileKey)) {
            return true
        }
        return Applier.put(hash, fileKey, content)
    }
}
