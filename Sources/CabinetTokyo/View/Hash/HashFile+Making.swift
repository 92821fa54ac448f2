import CTokyoCabinet
import CabinetBackend

// Making empty hash files without writing out their buckets.
extension HashFile {
    /// The library writes the buckets of a file that it makes, by 8 KiB a call: ten thousand calls
    /// for ten million records, during which none can be put. More buckets than this are a hole
    /// instead, which reads the same.
    private static let mostWritten: Int64 = 1 << 16
    private static let fewBuckets: Int64 = 4093
    /// The pool of free blocks: its fixed part, and each block's.
    private static let poolSize: UInt64 = 64
    private static let poolEntrySize: UInt64 = 4

    /// Makes an empty file, whose room for buckets is reserved, and opens it. `file` is there and
    /// empty.
    /// - Parameter room: how far the file is to be mapped.
    static func make(
        _ file: OpenFile, _ sizing: HashSizing, room: UInt64, files: any FileLayer
    ) throws(BackendError) -> UnsafeMutablePointer<TCHDB> {
        do throws(Refusal) {
            let making = HDBOWRITER | HDBOCREAT
            if sizing.buckets > mostWritten {
                var few = sizing
                few.buckets = fewBuckets
                let handle = try open(
                    file.path, size: few.emptySize, few, mode: making, files, leastMap: 0)
                if LibraryClosing.close(handle), try widen(file, sizing, files) {
                    return try open(
                        file.path, size: room, nil, mode: HDBOWRITER, files,
                        leastMap: files.leastMap)
                }
                try truncate(file, files)
            }
            return try open(
                file.path, size: room, sizing, mode: making, files, leastMap: files.leastMap)
        } catch {
            // The library does not say what it lacked; if that was room, this does.
            try files.reserve(file, upTo: sizing.emptySize)
            throw .viewUnavailable(path: file.path, cause: error.message)
        }
    }

    private static func truncate(
        _ file: OpenFile, _ files: any FileLayer
    ) throws(Refusal) {
        do { try files.truncate(file, to: 0) } catch { throw Refusal(message: "\(error)") }
    }

    /// Gives an empty file the buckets that the library would give to one of `sizing`. `false`: its
    /// header is not as expected, and has not changed.
    private static func widen(
        _ file: OpenFile, _ sizing: HashSizing, _ files: any FileLayer
    ) throws(Refusal) -> Bool {
        let header = DataBuffer()
        header.resize(to: Int(HashImage.headerSize))
        let bytes = header.memory
        guard let base = bytes.baseAddress, let buckets = buckets(for: sizing) else { return false }
        do throws(BackendError) {
            guard try files.read(file, at: 0, into: bytes) == bytes.count,
                let image = HashImage(base: base, size: try files.size(of: file)),
                image.recordCount == 0, image.end == image.firstRecord,
                firstRecord(of: image, buckets: image.bucketCount) == image.firstRecord
            else { return false }
            let first = firstRecord(of: image, buckets: buckets)
            for (offset, value) in [(40, buckets), (56, first), (64, first)] {
                base.storeBytes(
                    of: image.isSwapped ? value.byteSwapped : value, toByteOffset: offset,
                    as: UInt64.self)
            }
            try files.reserve(file, upTo: first)
            try files.write(UnsafeRawBufferPointer(bytes), to: file, at: 0)
            return true
        } catch {
            throw Refusal(message: "\(error)")
        }
    }

    /// How many buckets the library makes of those asked for.
    private static func buckets(for sizing: HashSizing) -> UInt64? {
        guard let handle = tchdbnew() else { return nil }
        defer { tchdbdel(handle) }
        guard tchdbtune(handle, sizing.buckets, HashSizing.alignmentPower, -1, 0) else {
            return nil
        }
        return handle.pointee.bnum
    }

    /// Where the first record of a file like `image` with so many buckets is.
    private static func firstRecord(of image: HashImage, buckets: UInt64) -> UInt64 {
        let power = UInt64(image.base.load(fromByteOffset: 35, as: UInt8.self))
        let mask = (1 << image.alignmentPower) - 1 as UInt64
        let end =
            HashImage.headerSize + buckets * (image.isLarge ? 8 : 4) + poolSize
            + poolEntrySize << power
        return (end + mask) & ~mask
    }
}
