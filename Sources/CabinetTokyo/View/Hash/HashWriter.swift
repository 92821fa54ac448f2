import CLibrary
import CTokyoCabinet
import CabinetBackend

/// Puts records into a hash file that the library has open, where it is mapped.
///
/// Does what `tchdbput` does, byte for byte, in the two cases that are nearly all there is: a new
/// record in a file without free blocks, and a value that replaces one of its length.
/// Anything else is left to the library. A put costs a fifth of the library's instructions. Its
/// location is known before it is needed, so that many can be fetched from memory at a time.
///
/// The layout is described at ``HashImage``. Every offset is checked before it is followed.
struct HashWriter {
    let handle: UnsafeMutablePointer<TCHDB>
    private let map: UnsafeMutableRawPointer
    /// Where the file is read up to ``readable``: maybe in another map, whose pages are entered
    /// already. A page of ``map`` that is written first meets one fault, not two.
    private let reading: UnsafeRawPointer
    private let readable: UInt64
    private let buckets: Int
    private let bucketCount: UInt64
    private let firstRecord: UInt64
    private let power: UInt64
    private let isSwapped: Bool

    /// The bytes of a record before its lengths, where offsets have 4 bytes.
    private static let fixed: UInt64 = 12
    /// A longer key's length takes more than a byte.
    static let longestKey = 127
    /// In a sound file the binary tree of a bucket is never deeper.
    private static let deepest = 1 << 12

    /// `nil`: the file is of a kind that only the library writes.
    init?(_ handle: UnsafeMutablePointer<TCHDB>, _ image: HashImage) {
        let file = handle.pointee
        guard let map = file.map, let buckets = file.ba32, file.opts == 0, file.recc == nil,
            file.mmtx == nil, !file.async, !file.tran
        else { return nil }
        self.handle = handle
        self.map = UnsafeMutableRawPointer(map)
        self.buckets = UnsafeMutableRawPointer(buckets) - UnsafeMutableRawPointer(map)
        reading = image.base
        readable = image.end
        bucketCount = file.bnum
        firstRecord = file.frec
        power = UInt64(file.apow)
        isSwapped = image.isSwapped
    }

    /// Where a key belongs.
    struct Location {
        fileprivate var bucket: Int
        fileprivate var hash: UInt8
    }

    @inline(__always)
    func location(of key: UnsafeRawBufferPointer) -> Location {
        let (first, hash) = HashImage.hash(of: key)
        let bucket = Int(truncatingIfNeeded: first % bucketCount)
        return Location(bucket: buckets + bucket &* 4, hash: hash)
    }

    /// Has the bucket at the location fetched from memory.
    @inline(__always)
    func fetch(_ location: Location) { cabinet_prefetch(reading + location.bucket) }

    /// Has the bucket's first record fetched. The bucket must have come from memory already.
    @inline(__always)
    func fetchRecord(at location: Location) {
        let offset = link(at: location.bucket)
        guard offset > 0 else { return }
        let base = offset < readable ? reading : UnsafeRawPointer(map)
        cabinet_prefetch(base + Int(truncatingIfNeeded: offset))
    }

    /// `false`: the library must do it; nothing has changed.
    @inline(__always)
    func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, at location: Location
    ) -> Bool {
        guard key.count <= Self.longestKey, let keyBytes = key.baseAddress,
            let valueBytes = value.baseAddress
        else { return false }
        let end = handle.pointee.fsiz
        var parent = location.bucket
        var steps = 0
        while true {
            let offset = link(at: parent)
            if offset == 0 { break }
            // What is read elsewhere ends there, too.
            let isOld = offset < readable
            let (base, limit) = isOld ? (reading, readable) : (UnsafeRawPointer(map), end)
            guard steps < Self.deepest, offset >= firstRecord, offset < limit,
                limit &- offset >= Self.fixed &+ 2
            else { return false }
            steps &+= 1
            let record = base + Int(truncatingIfNeeded: offset)
            guard record.load(as: UInt8.self) == HashImage.recordMagic else { return false }
            var order = Int32(location.hash) - Int32(record.load(fromByteOffset: 1, as: UInt8.self))
            if order == 0 {
                let length = record.load(fromByteOffset: Int(Self.fixed), as: UInt8.self)
                guard length <= UInt8(Self.longestKey) else { return false }
                order = Int32(key.count) - Int32(length)
                if order == 0 {
                    var cursor = offset &+ Self.fixed &+ 1
                    guard let valueLength = HashImage.length(base, &cursor, limit),
                        UInt64(length) &+ valueLength <= limit &- cursor
                    else { return false }
                    order = memcmp(keyBytes, base + Int(truncatingIfNeeded: cursor), key.count)
                    if order == 0 {
                        guard valueLength == UInt64(value.count) else { return false }
                        (map + Int(truncatingIfNeeded: cursor) + key.count)
                            .copyMemory(from: valueBytes, byteCount: value.count)
                        return true
                    }
                }
            }
            parent = Int(truncatingIfNeeded: offset) &+ (order > 0 ? 2 : 6)
        }
        return append(keyBytes, key.count, valueBytes, value.count, location.hash, parent, end)
    }

    @inline(__always)
    private func append(
        _ key: UnsafeRawPointer, _ keyLength: Int, _ value: UnsafeRawPointer, _ valueLength: Int,
        _ hash: UInt8, _ parent: Int, _ end: UInt64
    ) -> Bool {
        var lengthSize = 1
        while valueLength >> (7 &* lengthSize) > 0 { lengthSize &+= 1 }
        let size = Int(Self.fixed) &+ 1 &+ lengthSize &+ keyLength &+ valueLength
        // The alignment is a power of two, and the end of the file is aligned.
        let mask = (1 &<< Int(truncatingIfNeeded: power)) &- 1
        let padding = (0 &- size) & mask
        let newEnd = end &+ UInt64(size &+ padding)
        // The library would use a free block; and beyond what is reserved it must extend the file.
        guard handle.pointee.fbpnum == 0, newEnd < handle.pointee.xfsiz,
            newEnd < handle.pointee.xmsiz, end & UInt64(mask) == 0,
            newEnd >> power <= UInt64(UInt32.max)
        else { return false }
        let record = map + Int(truncatingIfNeeded: end)
        record.storeBytes(of: HashImage.recordMagic, as: UInt8.self)
        record.storeBytes(of: hash, toByteOffset: 1, as: UInt8.self)
        record.storeBytes(of: 0, toByteOffset: 2, as: UInt64.self)
        let pad = UInt16(truncatingIfNeeded: padding)
        record.storeBytes(of: isSwapped ? pad.byteSwapped : pad, toByteOffset: 10, as: UInt16.self)
        record.storeBytes(
            of: UInt8(truncatingIfNeeded: keyLength), toByteOffset: 12, as: UInt8.self)
        var cursor = record + 13
        HashImage.writeLength(UInt64(valueLength), to: &cursor)
        cursor.copyMemory(from: key, byteCount: keyLength)
        cursor += keyLength
        cursor.copyMemory(from: value, byteCount: valueLength)
        cursor += valueLength
        for index in 0..<padding { cursor.storeBytes(of: 0, toByteOffset: index, as: UInt8.self) }
        let link = UInt32(truncatingIfNeeded: end >> power)
        map.storeBytes(
            of: isSwapped ? link.byteSwapped : link, toByteOffset: parent, as: UInt32.self)
        let count = handle.pointee.rnum &+ 1
        handle.pointee.rnum = count
        handle.pointee.fsiz = newEnd
        map.storeBytes(
            of: isSwapped ? count.byteSwapped : count, toByteOffset: 48, as: UInt64.self)
        map.storeBytes(
            of: isSwapped ? newEnd.byteSwapped : newEnd, toByteOffset: 56, as: UInt64.self)
        return true
    }

    /// The link at an offset that was checked, or a bucket's.
    @inline(__always)
    private func link(at location: Int) -> UInt64 {
        let base = location < Int(truncatingIfNeeded: readable) ? reading : UnsafeRawPointer(map)
        let raw = base.loadUnaligned(fromByteOffset: location, as: UInt32.self)
        return UInt64(isSwapped ? raw.byteSwapped : raw) &<< power
    }
}
